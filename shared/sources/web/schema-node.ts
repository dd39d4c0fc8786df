/** The value of a property. */
export type SchemaValue = string | number | boolean | SchemaNode;

/** An item described in schema.org terms, from any markup. */
export interface SchemaNode {
  /** Its `@id` or `itemid`. */
  readonly id: string | undefined;
  /** Its types, as terms. */
  readonly types: readonly string[];
  /** Values by property term, in document order. */
  readonly values: ReadonlyMap<string, readonly SchemaValue[]>;
}

/**
 * Returns a schema.org word as a term: in lower case, without prefix or address.
 * `https://schema.org/InStock` becomes `instock`.
 */
export function termOf(word: string): string {
  const bare = word.trim().replace(/[#/]+$/, "");
  return bare.slice(bare.search(/[^/#:]*$/)).toLowerCase();
}

export const isNode = (value: SchemaValue | undefined): value is SchemaNode =>
  typeof value === "object";

/** Returns the values of the first property that has any. */
export function valuesOf(node: SchemaNode, ...terms: readonly string[]): readonly SchemaValue[] {
  for (const term of terms) {
    const values = node.values.get(term) ?? [];
    if (values.length > 0) return values;
  }
  return [];
}

export const nodesOf = (node: SchemaNode, ...terms: readonly string[]): SchemaNode[] =>
  valuesOf(node, ...terms).filter(isNode);

/** Returns the first text among the properties, in their order. For a node, its name is used. */
export function textOf(node: SchemaNode, ...terms: readonly string[]): string | undefined {
  for (const term of terms) {
    for (const value of valuesOf(node, term)) {
      const text = isNode(value) ? textOf(value, "name") : String(value).trim();
      if (text !== undefined && text !== "") return text;
    }
  }
  return undefined;
}
