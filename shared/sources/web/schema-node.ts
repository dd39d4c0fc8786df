/** A property's value. */
export type SchemaValue = string | number | boolean | SchemaNode;

/** A thing described by schema.org words, whichever markup it was written in. */
export interface SchemaNode {
  /** Its `@id` or `itemid`. */
  readonly id: string | undefined;
  /** Types as terms. */
  readonly types: readonly string[];
  /** Values by the property's term, in the order written. */
  readonly values: ReadonlyMap<string, readonly SchemaValue[]>;
}

/** A word of the vocabulary without its prefix or address, in lower case: `https://schema.org/InStock` is `instock`. */
export function termOf(word: string): string {
  const bare = word.trim().replace(/[#/]+$/, "");
  return bare.slice(bare.search(/[^/#:]*$/)).toLowerCase();
}

export const isNode = (value: SchemaValue | undefined): value is SchemaNode =>
  typeof value === "object";

/** Values of the first of the properties that has any. */
export function valuesOf(node: SchemaNode, ...terms: readonly string[]): readonly SchemaValue[] {
  for (const term of terms) {
    const values = node.values.get(term) ?? [];
    if (values.length > 0) return values;
  }
  return [];
}

export const nodesOf = (node: SchemaNode, ...terms: readonly string[]): SchemaNode[] =>
  valuesOf(node, ...terms).filter(isNode);

/** The first text among the properties, in their order; a thing stands for its name. */
export function textOf(node: SchemaNode, ...terms: readonly string[]): string | undefined {
  for (const term of terms) {
    for (const value of valuesOf(node, term)) {
      const text = isNode(value) ? textOf(value, "name") : String(value).trim();
      if (text !== undefined && text !== "") return text;
    }
  }
  return undefined;
}
