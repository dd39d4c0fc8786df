import { pageText } from "./pages.ts";

export interface CodeBlock {
  /** The text after the fence, such as `sh aws`; empty if there is none. */
  readonly info: string;
  readonly code: string;
}

/** Returns the code blocks of a Markdown text, in order. */
export const blocksOf = (markdown: string): CodeBlock[] =>
  [...markdown.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, info = "", code = ""]) => ({
    info,
    code,
  }));

/** Returns the code of the blocks of a page that have exactly this info string, in order. */
export const codeBlocks = (page: string, info: string): string[] =>
  blocksOf(pageText(page))
    .filter((block) => block.info === info)
    .map(({ code }) => code);
