import { extname } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** A text of a source file, with the offset at which it starts. */
export interface SourceText {
  readonly start: number;
  readonly text: string;
}

/** What people read in a TypeScript file. */
interface SourceTexts {
  /** Comments, string literals with a space, template parts and texts between JSX tags. */
  readonly prose: readonly SourceText[];
  /** Names that the file declares or uses. */
  readonly names: readonly SourceText[];
}

/**
 * Parses a TypeScript file into its texts.
 * @throws Error if the file has a syntax error
 */
export function sourceTexts(path: string, source: string): SourceTexts {
  const { program, comments, errors } = parseSync(`file${extname(path)}`, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const prose: SourceText[] = [];
  const names: SourceText[] = [];
  const addProse = (text: string, { start }: { readonly start: number }): void => {
    if (/\S\s+\S/.test(text)) prose.push({ start, text });
  };
  const addName = (text: string, { start }: { readonly start: number }): void => {
    names.push({ start, text });
  };
  for (const comment of comments) addProse(comment.value, comment);
  new Visitor({
    Literal: (node) => void (typeof node.value === "string" && addProse(node.value, node)),
    TemplateLiteral: (node) =>
      addProse(node.quasis.map(({ value }) => value.raw).join("${}"), node),
    JSXText: (node) => addProse(node.value, node),
    Identifier: (node) => addName(node.name, node),
    JSXIdentifier: (node) => addName(node.name, node),
    PrivateIdentifier: (node) => addName(node.name, node),
  }).visit(program);
  return { prose, names };
}
