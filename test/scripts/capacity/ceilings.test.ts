import { expect, it } from "vitest";
import { ceilings } from "../../../scripts/capacity/ceilings.ts";
import { ceilingRows } from "../../../scripts/capacity/rows.ts";
import { pageCells } from "./markdown.ts";

it("docs/performance.md has the table of ceilings that the code computes, and no other rows", () => {
  const rows = ceilingRows(ceilings());
  const header = Object.keys(rows[0] ?? {});
  const start = pageCells.findIndex((cells) => cells.join() === header.join());
  // The line below the header has only dashes.
  const table = pageCells.slice(start + 2);
  const end = table.findIndex((cells) => cells.length === 0);

  expect(start).toBeGreaterThan(0);
  expect(table.slice(0, end)).toEqual(rows.map((row) => Object.values(row)));
});
