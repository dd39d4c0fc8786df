import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The Markdown pages of the project, as paths from its root. */
export const pages: readonly string[] = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ".github/pull_request_template.md",
];

/** Returns the Markdown of a page. `page` is its path from the root of the project. */
export const pageText = (page: string): string => readFileSync(`${root}${page}`, "utf8");

/** Returns a Markdown text without its fenced code blocks. */
export const proseOf = (markdown: string): string => markdown.replaceAll(/^```.*?^```$/gms, "");
