import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");

/** The cells of each line of docs/performance.md. A line outside a table has no cells. */
export const pageCells: readonly (readonly string[])[] = page.split("\n").map((line) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim()),
);
