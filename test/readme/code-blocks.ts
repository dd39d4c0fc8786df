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

/**
 * Returns the code of each block of a page whose info string equals `info`, in order.
 * @param page the path of the Markdown file from the root of the project
 */
export const codeBlocks = (page: string, info: string): string[] =>
  blocksOf(pageText(page))
    .filter((block) => block.info === info)
    .map(({ code }) => code);
