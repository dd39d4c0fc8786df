/** The value of a property in structured data: a plain value or another item. */
export type SchemaValue = string | number | boolean | SchemaNode;

/** An item described in schema.org terms, from any markup. */
export interface SchemaNode {
  /** The `@id` or `itemid` of the item. */
  readonly id: string | undefined;
  /** The types of the item, as `termOf` returns them. */
  readonly types: readonly string[];
  /** The values by property term, in document order. */
  readonly values: ReadonlyMap<string, readonly SchemaValue[]>;
}

/**
 * Returns a schema.org word as a term: in lower case, without a prefix or address.
 * `https://schema.org/InStock` becomes `instock`.
 */
export function termOf(word: string): string {
  const bare = word.trim().replace(/[#/]+$/, "");
  return bare.slice(bare.search(/[^/#:]*$/)).toLowerCase();
}

/**
 * Returns true for a value that is a schema.org node; false for strings, numbers, booleans and
 * undefined.
 */
export const isNode = (value: SchemaValue | undefined): value is SchemaNode =>
  typeof value === "object";

/**
 * Returns the values of the first property in `terms` that has a value; an empty array if none of
 * them has one.
 */
export function valuesOf(node: SchemaNode, ...terms: readonly string[]): readonly SchemaValue[] {
  for (const term of terms) {
    const values = node.values.get(term) ?? [];
    if (values.length > 0) return values;
  }
  return [];
}

/** Returns the nodes among the values that `valuesOf` returns. */
export const nodesOf = (node: SchemaNode, ...terms: readonly string[]): SchemaNode[] =>
  valuesOf(node, ...terms).filter(isNode);

/**
 * Returns the first non-empty text among the properties `terms`, in their order; undefined if there
 * is none. The text of a node is the node's name.
 */
export function textOf(node: SchemaNode, ...terms: readonly string[]): string | undefined {
  for (const term of terms) {
    for (const value of valuesOf(node, term)) {
      const text = isNode(value) ? textOf(value, "name") : String(value).trim();
      if (text !== undefined && text !== "") return text;
    }
  }
  return undefined;
}
