import { isNode, nodesOf, type SchemaNode, valuesOf } from "./schema-node.ts";

/** A product that a page describes, which may be the requested product. */
export interface Candidate {
  readonly node: SchemaNode;
  /** True if the page declares the product as its main subject. */
  readonly isMain: boolean;
}

const productTypes: ReadonlySet<string> = new Set([
  "product",
  "individualproduct",
  "productmodel",
  "productgroup",
  "someproducts",
]);
/** Types whose nodes count as products only if they have offers. */
const offeredTypes: ReadonlySet<string> = new Set(["vehicle", "car", "motorcycle", "book"]);

/**
 * Properties whose values are not searched for products. They contain other products, or parts of
 * the same product.
 */
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

/** Returns true for a group of variants. */
export const isGroup = (node: SchemaNode): boolean => node.types.includes("productgroup");

/**
 * Returns the offers of a product. If a product has no offers but has a price, returns the product
 * itself as the offer.
 */
export function offersOf(product: SchemaNode): SchemaNode[] {
  const offers = nodesOf(product, "offers");
  const isPriced = valuesOf(product, "price", "pricespecification").length > 0;
  return offers.length === 0 && isPriced ? [product] : offers;
}

/** Returns true if `offersOf` returns any offer for the product. */
export const hasOffers = (node: SchemaNode): boolean => offersOf(node).length > 0;

const isProduct = (node: SchemaNode): boolean =>
  node.types.some((type) => productTypes.has(type)) ||
  (hasOffers(node) && node.types.some((type) => offeredTypes.has(type)));

/**
 * Returns the products among `nodes` and inside these nodes, in document order. Does not search
 * inside a product for further products.
 */
export function candidatesIn(nodes: readonly SchemaNode[]): Candidate[] {
  const candidates: Candidate[] = [];
  const visit = (node: SchemaNode, isMain: boolean): void => {
    if (isProduct(node)) {
      candidates.push({ node, isMain: isMain || valuesOf(node, "mainentityofpage").length > 0 });
      return;
    }
    for (const [term, values] of node.values) {
      if (notFollowed.has(term)) continue;
      for (const value of values) if (isNode(value)) visit(value, term === "mainentity");
    }
  };
  for (const node of nodes) visit(node, false);
  return candidates;
}
