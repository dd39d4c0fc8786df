import { readFileSync } from "node:fs";

/** The code blocks of a language in a section of the README, in order. */
export function codeBlocks(section: string, language: string): string[] {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const text = readme.split("\n## ").find((part) => part.startsWith(`${section}\n`));
  if (text === undefined) throw new Error(`The README has no section "${section}"`);
  return codeBlocksOf(text, language);
}

/** The code blocks of a language in a Markdown text, in order. */
export function codeBlocksOf(markdown: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms");
  return [...markdown.matchAll(fence)].map(([, code = ""]) => code);
}
