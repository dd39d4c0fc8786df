import { isBlockTitle, isMissingTitle, isShortPage } from "./block-page.ts";
import { categoryIn } from "./breadcrumb.ts";
import { type Choice, chooseProduct, isNamedPage, isUnnamedPage } from "./choose-product.ts";
import { omitUndefined } from "../contract/defined.ts";
import { fallbackFacts, type PageReaders, isContradicted } from "./fallback-facts.ts";
import { jsonLdBlocks } from "./json-ld-blocks.ts";
import { jsonLdNodes } from "./json-ld-nodes.ts";
import { microdataNodes } from "./microdata.ts";
import { openGraphProduct } from "./open-graph.ts";
import { type PageHead, pageHead } from "./page-head.ts";
import { once } from "./once.ts";
import { plainText } from "./plain-text.ts";
import { candidatesIn } from "./product-candidates.ts";
import { mergeFacts, needsPrice, type ProductFacts, productFacts } from "./product-facts.ts";
import { ruleFacts } from "./rules/rule-facts.ts";
import type { SchemaNode } from "./schema-node.ts";
import { visiblePage, type VisiblePage } from "./visible/visible-page.ts";
import type { WantedProduct } from "./wanted-product.ts";

export type { ProductFacts } from "./product-facts.ts";
export type { WantedProduct } from "./wanted-product.ts";

/** The result of the search for the requested product in a page. */
export type Extraction =
  /** The page describes the requested product. Facts that it does not state clearly are absent. */
  | { readonly proof: "product"; readonly facts: ProductFacts }
  /**
   * The page describes another product, or several products without showing which one was
   * requested.
   */
  | { readonly proof: "another" | "several" }
  /** The prices are not in the marketplace's currency, so the page was made for another country. */
  | { readonly proof: "foreign_currency" }
  /** The page is a block page, or too short to be distinguished from one. */
  | { readonly proof: "blocked" }
  /** The page describes no product. */
  | { readonly proof: "nothing" };

/** Maximum length of a page that is read, in characters. The rest of a longer page is ignored. */
const pageCharactersMax = 5 * 1024 * 1024;

/**
 * Extracts the requested product from a page. If the page does not show this product, the `proof`
 * of the result names the reason, such as `another`, `blocked` or `nothing`.
 *
 * Uses the deployer's rules first, then the markup: JSON-LD, microdata, Open Graph. If the price or
 * the availability is still missing, also uses the fallbacks. Omits facts that are ambiguous. Pure.
 * Never throws.
 * @param wanted the requested product: its ID, the address of its page, and its currency
 * @param readers the deployer's rules and the fallbacks
 */
export function extractProduct(
  html: string,
  wanted: WantedProduct,
  readers: PageReaders,
): Extraction {
  const page = html.slice(0, pageCharactersMax);
  const head = once(() => pageHead(page));
  const { facts, kinds } = markupFacts(page, wanted, head);
  if (kinds.has("another")) return { proof: "another" };
  const isChosen = kinds.has("chosen");
  const isSeveral = !isChosen && kinds.has("several");
  if (isChosen || isPageOf(page, wanted, head())) {
    const visible = visiblePage(page, wanted, head);
    const more = withOtherReaders(visible, { facts, canGuess: !isSeveral }, readers);
    if (isChosen || Object.keys(more).length > 0) return proven(more, wanted, head);
  }
  return isSeveral ? { proof: "several" } : withoutProduct(page, wanted, head());
}

/**
 * Returns the facts of the product in JSON-LD, microdata and Open Graph, and the kind of choice for
 * each format. Stops at a format that describes another product.
 */
function markupFacts(
  page: string,
  wanted: WantedProduct,
  head: () => PageHead,
): { readonly facts: ProductFacts; readonly kinds: ReadonlySet<Choice["kind"]> } {
  const kinds = new Set<Choice["kind"]>();
  let facts: ProductFacts = {};
  for (const nodes of [linkedData, microdata, openGraph]) {
    const described = nodes(page, head);
    const choice = chooseProduct(candidatesIn(described), wanted, head);
    kinds.add(choice.kind);
    if (choice.kind === "another") break;
    if (choice.kind !== "chosen") continue;
    facts = mergeFacts(facts, productFacts(choice, wanted));
    facts = mergeFacts(facts, omitUndefined({ category: categoryIn(described, facts.title) }));
    if (isComplete(facts)) break;
  }
  return { facts, kinds };
}

/**
 * Returns the facts from the deployer's rules. Takes missing facts from the markup, and then, if
 * `canGuess` is true, from the fallbacks.
 */
function withOtherReaders(
  page: VisiblePage,
  { facts, canGuess }: { readonly facts: ProductFacts; readonly canGuess: boolean },
  readers: PageReaders,
): ProductFacts {
  const { rules } = readers;
  const ruled = rules === undefined ? {} : ruleFacts(page.html, rules, page.wanted);
  const isRuled = ruled.price !== undefined || ruled.isPriceUnclear === true;
  const known = isRuled ? facts : withoutContradiction(page, facts, readers);
  const stated = mergeFacts(ruled, known);
  return canGuess && !isComplete(stated) ? withFallbacks(page, stated, readers) : stated;
}

/** Returns the facts from the markup, without a price that the visible page contradicts. */
function withoutContradiction(
  page: VisiblePage,
  facts: ProductFacts,
  readers: PageReaders,
): ProductFacts {
  const amount = facts.price?.amount;
  if (amount === undefined || !isContradicted(page, amount, readers)) return facts;
  const { price: _price, listPrice: _listPrice, ...others } = facts;
  return { ...others, isPriceUnclear: true };
}

/** Returns the facts, and adds missing facts from the fallbacks. */
function withFallbacks(page: VisiblePage, facts: ProductFacts, readers: PageReaders): ProductFacts {
  const foundFacts = fallbackFacts(page, facts, readers);
  const { currency } = page.wanted;
  const isForeign =
    foundFacts.price?.currency !== undefined && foundFacts.price.currency !== currency;
  // A price in another currency may be for another country, so it is left out.
  const { price: _foreign, ...others } = foundFacts;
  return mergeFacts(facts, currency !== null && isForeign ? others : foundFacts);
}

/**
 * Returns true if a page without product markup belongs to the requested product: an address that
 * the page declares contains the ID, or the page declares no address and the requested address
 * contains the ID. Returns false for a page that is too short, or whose title is that of a block
 * page or of a missing page.
 */
function isPageOf(html: string, wanted: WantedProduct, head: PageHead): boolean {
  if (isShortPage(html) || isBlockTitle(head) || isMissingTitle(head)) return false;
  return isNamedPage(wanted, head) || isUnnamedPage(wanted, head);
}

const isComplete = (facts: ProductFacts): boolean =>
  !needsPrice(facts) && facts.availability !== undefined;

const linkedData = (html: string): SchemaNode[] => jsonLdNodes(jsonLdBlocks(html));

/** A fast check before the slow parser. A page that does not match has no product in microdata. */
const microdataHint =
  /\bitemtype\s{0,5}=\s{0,5}["']?[^"'>]{0,200}(?:product|vehicle|car|motorcycle|book)/i;

const microdata = (html: string): SchemaNode[] =>
  microdataHint.test(html) ? microdataNodes(html) : [];

const openGraph = (_html: string, head: () => PageHead): SchemaNode[] =>
  [openGraphProduct(head())].filter((node) => node !== undefined);

/**
 * Builds the result for a product: its facts, or `foreign_currency` if its price is not in the
 * currency of the marketplace. Omits prices without a currency if `wanted` has a currency.
 */
function proven(facts: ProductFacts, wanted: WantedProduct, head: () => PageHead): Extraction {
  const { price, listPrice, isPriceUnclear: _unclear, ...others } = facts;
  const isForeign = price?.currency !== undefined && price.currency !== wanted.currency;
  if (wanted.currency !== null && isForeign) return { proof: "foreign_currency" };
  const title = facts.title ?? headTitle(head());
  return {
    proof: "product",
    facts: {
      ...others,
      ...(title !== undefined && { title }),
      ...(price !== undefined && isIn(wanted.currency, price.currency) && { price }),
      ...(listPrice !== undefined && isIn(wanted.currency, listPrice.currency) && { listPrice }),
    },
  };
}

const isIn = (wanted: string | null, stated: string | undefined): boolean =>
  wanted === null || stated === wanted;

/**
 * Builds the result for a page without a product in its markup. The product exists if the page's
 * declared address contains the ID, and its Open Graph metadata declares a product with a title.
 * Otherwise the result is `nothing`, or `blocked` for a block page.
 */
function withoutProduct(html: string, wanted: WantedProduct, head: PageHead): Extraction {
  if (isShortPage(html) || isBlockTitle(head)) return { proof: "blocked" };
  const title = plainText(head.metas.get("og:title") ?? "");
  const isProduct = /product/i.test(head.metas.get("og:type") ?? "");
  return title !== "" && isProduct && isNamedPage(wanted, head)
    ? { proof: "product", facts: { title } }
    : { proof: "nothing" };
}

const headTitle = (head: PageHead): string | undefined => head.metas.get("og:title");
