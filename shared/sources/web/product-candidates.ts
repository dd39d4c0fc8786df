import { isNode, nodesOf, type SchemaNode, valuesOf } from "./schema-node.ts";

/** A product that a page describes. */
export interface Candidate {
  readonly node: SchemaNode;
  /** True if the page declares it as its main subject. */
  readonly isMain: boolean;
}

const productTypes: ReadonlySet<string> = new Set([
  "product",
  "individualproduct",
  "productmodel",
  "productgroup",
  "someproducts",
]);
/** Types that count as products if they have offers. */
const offeredTypes: ReadonlySet<string> = new Set(["vehicle", "car", "motorcycle", "book"]);

/** Properties that lead to another product than the page's, or to another part of it. */
const notFollowed: ReadonlySet<string> = new Set([
  "isrelatedto",
  "issimilarto",
  "isaccessoryorsparepartfor",
  "isconsumablefor",
  "isvariantof",
  "hasvariant",
  "itemoffered",
  "itemreviewed",
  "itemlistelement",
  "offers",
  "review",
  "reviews",
]);

export const isGroup = (node: SchemaNode): boolean => node.types.includes("productgroup");

/**
 * Returns the offers of a product. If the price is on the product itself, the product is its offer.
 */
export function offersOf(product: SchemaNode): SchemaNode[] {
  const offers = nodesOf(product, "offers");
  const isPriced = valuesOf(product, "price", "pricespecification").length > 0;
  return offers.length === 0 && isPriced ? [product] : offers;
}

export const hasOffers = (node: SchemaNode): boolean => offersOf(node).length > 0;

const isProduct = (node: SchemaNode): boolean =>
  node.types.some((type) => productTypes.has(type)) ||
  (hasOffers(node) && node.types.some((type) => offeredTypes.has(type)));

/** Returns the products among nodes and inside them, each once, in document order. */
export function candidatesIn(nodes: readonly SchemaNode[]): Candidate[] {
  const found: Candidate[] = [];
  const visit = (node: SchemaNode, isMain: boolean): void => {
    if (isProduct(node)) {
      found.push({ node, isMain: isMain || valuesOf(node, "mainentityofpage").length > 0 });
      return;
    }
    for (const [term, values] of node.values) {
      if (notFollowed.has(term)) continue;
      for (const value of values) if (isNode(value)) visit(value, term === "mainentity");
    }
  };
  for (const node of nodes) visit(node, false);
  return found;
}
