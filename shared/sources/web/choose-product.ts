import type { PageHead } from "./page-head.ts";
import { plainText } from "./plain-text.ts";
import { type Candidate, hasOffers, isGroup } from "./product-candidates.ts";
import { nodesOf, type SchemaNode, textOf } from "./schema-node.ts";
import {
  addressMentions,
  isNamed,
  isNamedWithOffers,
  isNumbered,
  isStated,
  type WantedProduct,
} from "./wanted-product.ts";

/** Shorter names are in many a title. */
const titleNameLengthMin = 8;

export type Choice =
  | {
      readonly kind: "chosen";
      readonly product: SchemaNode;
      /** The group that the product is a variant of: it says what all of them share. */
      readonly group: SchemaNode | undefined;
    }
  /** Several products, and nothing tells which one was meant. */
  | { readonly kind: "several" }
  /** The page is about another product than the one asked for. */
  | { readonly kind: "another" }
  | { readonly kind: "none" };

/** The product that was asked for, among those that a page describes. */
export function chooseProduct(
  candidates: readonly Candidate[],
  wanted: WantedProduct,
  head: () => PageHead,
): Choice {
  if (candidates.length === 0) return { kind: "none" };
  const node = named(candidates, wanted.id);
  if (node !== undefined) return variantOf(node, wanted.id);
  const sole = onlyOne(candidates) ?? titled(candidates, wanted, head());
  if (isAnother(sole, wanted, head())) return { kind: "another" };
  return sole === undefined ? { kind: "several" } : variantOf(sole, wanted.id);
}

/** Of those that say they are the one: by number rather than by address, offered rather than not. */
function named(candidates: readonly Candidate[], id: string): SchemaNode | undefined {
  const nodes = candidates.map(({ node }) => node);
  const found = nodes.filter((node) => isNamedWithOffers(node, id) || hasVariant(node, id));
  const numbered = found.filter((node) => isNumbered(node, id));
  const best = numbered.length > 0 ? numbered : found;
  return best.find((node) => hasOffers(node) || isGroup(node)) ?? best[0];
}

/** Of those that do not say: the one that is offered, else the one that the page is about. */
function onlyOne(candidates: readonly Candidate[]): SchemaNode | undefined {
  const offered = candidates.filter(({ node }) => hasOffers(node) || isGroup(node));
  if (offered.length === 1) return offered[0]?.node;
  const main = candidates.filter(({ isMain }) => isMain);
  if (main.length === 1) return main[0]?.node;
  return candidates.length === 1 ? candidates[0]?.node : undefined;
}

/** On a page that is the wanted one by its own address: the one product that its title names. */
function titled(
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

/** True unless the page says by its own address that it is the one, or nothing says otherwise. */
function isAnother(node: SchemaNode | undefined, wanted: WantedProduct, head: PageHead): boolean {
  if (isNamedPage(wanted, head)) return false;
  if (!addressMentions(wanted.url.href, wanted.id)) return true;
  return (node !== undefined && isStated(node)) || ownAddresses(head).length > 0;
}

/** Whether the page gives itself an address that holds the id. */
export const isNamedPage = (wanted: WantedProduct, head: PageHead): boolean =>
  ownAddresses(head).some((address) => addressMentions(address, wanted.id));

const ownAddresses = (head: PageHead): string[] =>
  [head.canonical ?? "", head.metas.get("og:url") ?? ""].filter((address) => address !== "");

const hasVariant = (node: SchemaNode, id: string): boolean =>
  nodesOf(node, "hasvariant").some((variant) => isNamedWithOffers(variant, id));

/** The one variant that was meant, else the group itself: a parent with offers of its own or none. */
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
