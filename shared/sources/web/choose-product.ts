import type { PageHead } from "./page-head.ts";
import { plainText } from "./plain-text.ts";
import { type Candidate, hasOffers, isGroup } from "./product-candidates.ts";
import { nodesOf, type SchemaNode, textOf } from "./schema-node.ts";
import {
  addressMentions,
  isNamed,
  isNamedWithOffers,
  isNumbered,
  hasIdentity,
  type WantedProduct,
} from "./wanted-product.ts";

/**
 * Minimum length of a product name that is searched for in a title. A shorter name can also occur
 * in the titles of other products.
 */
const titleNameLengthMin = 8;

/** The result of choosing the requested product in a page. */
export type Choice =
  | {
      readonly kind: "chosen";
      readonly product: SchemaNode;
      /**
       * The product group that contains the variant, with the values that all variants share;
       * undefined if the product is not a variant.
       */
      readonly group: SchemaNode | undefined;
    }
  /** The page describes several products, and does not show which one was requested. */
  | { readonly kind: "several" }
  /** The page describes another product than the requested one. */
  | { readonly kind: "another" }
  /** The page describes no product. */
  | { readonly kind: "none" };

/**
 * Chooses the requested product among the products that a page describes. Returns one of these
 * kinds:
 * - `chosen`, with the product;
 * - `none`, if there are no candidates;
 * - `another`, if the page describes a different product;
 * - `several`, if the page does not show which of its products is the requested one.
 * @param wanted the requested product: its ID and the address of its page
 * @param head returns the metadata of the page
 */
export function chooseProduct(
  candidates: readonly Candidate[],
  wanted: WantedProduct,
  head: () => PageHead,
): Choice {
  if (candidates.length === 0) return { kind: "none" };
  const node = candidateWithId(candidates, wanted.id);
  if (node !== undefined) return variantOf(node, wanted.id);
  const sole = onlyOne(candidates) ?? namedInTitle(candidates, wanted, head());
  if (isAnother(sole, wanted, head())) return { kind: "another" };
  return sole === undefined ? { kind: "several" } : variantOf(sole, wanted.id);
}

/**
 * Returns the candidate with the requested ID; undefined if there is none. Prefers the ID in a
 * number to the ID in an address, and then candidates with offers.
 */
function candidateWithId(candidates: readonly Candidate[], id: string): SchemaNode | undefined {
  const nodes = candidates.map(({ node }) => node);
  const matches = nodes.filter((node) => isNamedWithOffers(node, id) || hasVariant(node, id));
  const numbered = matches.filter((node) => isNumbered(node, id));
  const best = numbered.length > 0 ? numbered : matches;
  return best.find((node) => hasOffers(node) || isGroup(node)) ?? best[0];
}

/**
 * Returns the only candidate with offers, otherwise the only main product of the page, otherwise
 * the only candidate. Returns undefined if none of these is unique.
 */
function onlyOne(candidates: readonly Candidate[]): SchemaNode | undefined {
  const offered = candidates.filter(({ node }) => hasOffers(node) || isGroup(node));
  if (offered.length === 1) return offered[0]?.node;
  const main = candidates.filter(({ isMain }) => isMain);
  if (main.length === 1) return main[0]?.node;
  return candidates.length === 1 ? candidates[0]?.node : undefined;
}

/**
 * Returns the only product whose name is in the page's title. Returns undefined if no product or
 * several products match, or if the page's declared address does not contain the ID.
 */
function namedInTitle(
  candidates: readonly Candidate[],
  wanted: WantedProduct,
  head: PageHead,
): SchemaNode | undefined {
  if (!isNamedPage(wanted, head)) return undefined;
  const titles = `${head.metas.get("og:title") ?? ""}\n${head.title ?? ""}`.toLowerCase();
  return only(
    candidates
      .map(({ node }) => node)
      .filter((node) => {
        const name = plainText(textOf(node, "name") ?? "").toLowerCase();
        return name.length >= titleNameLengthMin && titles.includes(name);
      }),
  );
}

/**
 * Returns true if the page probably describes another product than the requested one. Returns false
 * if an address that the page declares contains the requested ID. Otherwise returns true in these
 * cases:
 * - The requested address lacks the ID.
 * - The product has an SKU, a product ID or an address.
 * - The page declares an address.
 */
function isAnother(node: SchemaNode | undefined, wanted: WantedProduct, head: PageHead): boolean {
  if (isNamedPage(wanted, head)) return false;
  if (!addressMentions(wanted.url.href, wanted.id)) return true;
  return (node !== undefined && hasIdentity(node)) || ownAddresses(head).length > 0;
}

/**
 * Returns true if the address that the page declares for itself (canonical or `og:url`) contains
 * the requested ID.
 */
export const isNamedPage = (wanted: WantedProduct, head: PageHead): boolean =>
  ownAddresses(head).some((address) => addressMentions(address, wanted.id));

/**
 * Returns true if the page declares no address for itself, and the address at which the page was
 * requested contains the requested ID.
 */
export const isUnnamedPage = ({ url, id }: WantedProduct, head: PageHead): boolean =>
  ownAddresses(head).length === 0 && addressMentions(url.href, id);

const ownAddresses = (head: PageHead): string[] =>
  [head.canonical ?? "", head.metas.get("og:url") ?? ""].filter((address) => address !== "");

const hasVariant = (node: SchemaNode, id: string): boolean =>
  nodesOf(node, "hasvariant").some((variant) => isNamedWithOffers(variant, id));

/**
 * Chooses the requested variant of a product. If no variant or several variants have the ID,
 * chooses the product itself.
 */
function variantOf(product: SchemaNode, id: string): Choice {
  const variants = nodesOf(product, "hasvariant");
  const variant =
    only(variants.filter((one) => isNumbered(one, id))) ??
    only(variants.filter((one) => isNamed(one, id)));
  if (variant !== undefined) return { kind: "chosen", product: variant, group: product };
  const group = nodesOf(product, "isvariantof")[0];
  return { kind: "chosen", product, group };
}

const only = (nodes: readonly SchemaNode[]): SchemaNode | undefined =>
  nodes.length === 1 ? nodes[0] : undefined;
