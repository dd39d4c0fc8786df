import { extname } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

interface SourceTexts {
  /** Comments, string literals with a space, template texts, and texts between JSX tags. */
  readonly prose: readonly string[];
  /** The identifiers in the code. */
  readonly names: ReadonlySet<string>;
}

/**
 * Returns the prose (comments and texts) and the identifiers of a TypeScript file.
 * @throws Error if the file has a syntax error
 */
export function sourceTexts(path: string, source: string): SourceTexts {
  const { program, comments, errors } = parseSync(`file${extname(path)}`, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const prose = comments.map(({ value }) => value);
  const names = new Set<string>();
  const addName = ({ name }: { readonly name: string }): void => void names.add(name);
  new Visitor({
    Literal: ({ value }) => void (typeof value === "string" && prose.push(value)),
    TemplateLiteral: ({ quasis }) =>
      void prose.push(quasis.map(({ value }) => value.raw).join("…")),
    JSXText: ({ value }) => void prose.push(value),
    Identifier: addName,
    JSXIdentifier: addName,
    PrivateIdentifier: addName,
  }).visit(program);
  return { prose: prose.filter((text) => /\S\s+\S/.test(text)), names };
}

/** Splits an identifier at its capitals and underscores, in lower case. */
export const partsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_");
