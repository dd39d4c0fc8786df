import type { PageHead } from "./page-head.ts";
import type { SchemaNode, SchemaValue } from "./schema-node.ts";

const offerTerms: readonly (readonly [string, readonly string[]])[] = [
  ["price", ["product:sale_price:amount", "product:price:amount", "og:price:amount"]],
  ["pricecurrency", ["product:sale_price:currency", "product:price:currency", "og:price:currency"]],
  ["availability", ["product:availability", "og:availability"]],
];
const productTerms: readonly (readonly [string, readonly string[]])[] = [
  ["name", ["og:title"]],
  ["url", ["og:url"]],
  ["image", ["og:image:secure_url", "og:image"]],
  ["brand", ["product:brand"]],
  ["sku", ["product:retailer_item_id"]],
];

/**
 * Converts the product in a page's Open Graph metadata to a schema.org node. Returns undefined if
 * the metadata contains no offer and does not declare a product.
 */
export function openGraphProduct({ metas }: PageHead): SchemaNode | undefined {
  const offer = nodeOf("offer", metas, offerTerms);
  const isProduct = /(?:^|[.:])product(?:\.item)?$/i.test(metas.get("og:type") ?? "");
  if (offer.values.size === 0 && !isProduct) return undefined;
  const product = nodeOf("product", metas, productTerms);
  if (offer.values.size === 0) return product;
  return { ...product, values: new Map([...product.values, ["offers", [offer]]]) };
}

/** Creates a node whose values are the first non-empty contents of the listed metadata. */
function nodeOf(
  type: string,
  metas: ReadonlyMap<string, string>,
  terms: readonly (readonly [string, readonly string[]])[],
): SchemaNode {
  const values = new Map<string, SchemaValue[]>();
  for (const [term, names] of terms) {
    const content = names.map((name) => metas.get(name)).find((value) => (value ?? "") !== "");
    if (content !== undefined) values.set(term, [content]);
  }
  return { id: undefined, types: [type], values };
}
