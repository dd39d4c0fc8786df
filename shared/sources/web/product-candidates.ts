import { isNode, nodesOf, type SchemaNode, valuesOf } from "./schema-node.ts";

/** A product that a page describes. */
export interface Candidate {
  readonly node: SchemaNode;
  /** The page says that it is about this one. */
  readonly isMain: boolean;
}

const productTypes: ReadonlySet<string> = new Set([
  "product",
  "individualproduct",
  "productmodel",
  "productgroup",
  "someproducts",
]);
/** Kinds that are products where somebody offers them. */
const offeredTypes: ReadonlySet<string> = new Set(["vehicle", "car", "motorcycle", "book"]);

/** What these lead to is another product than the page's, or another part of the same. */
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

/** The offers of a product; some pages write the price on the product itself. */
export function offersOf(product: SchemaNode): SchemaNode[] {
  const offers = nodesOf(product, "offers");
  const isPriced = valuesOf(product, "price", "pricespecification").length > 0;
  return offers.length === 0 && isPriced ? [product] : offers;
}

export const hasOffers = (node: SchemaNode): boolean => offersOf(node).length > 0;

const isProduct = (node: SchemaNode): boolean =>
  node.types.some((type) => productTypes.has(type)) ||
  (hasOffers(node) && node.types.some((type) => offeredTypes.has(type)));

/** The products among things and within them, each once, in the order written. */
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
