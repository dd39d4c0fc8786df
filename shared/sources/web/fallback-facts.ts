import { shownCurrency, statedCurrencies } from "./page-currency.ts";
import { embeddedValues } from "./state/embedded-values.ts";
import { type StateFacts, stateProduct } from "./state/state-product.ts";
import { availabilityOf } from "./availability-word.ts";
import { defined } from "../contract/defined.ts";
import type { OfferedPrice } from "./offer-price.ts";
import type { ProductFacts } from "./product-facts.ts";
import type { ForestTable } from "./visible/forest.ts";
import { learnedPrice } from "./visible/learned-price.ts";
import { showsAmount } from "./visible/page-body.ts";
import type { ShownAmount } from "./visible/shown-amounts.ts";
import { shownPrice } from "./visible/shown-price.ts";
import { shownAvailability } from "./visible/stock.ts";
import { pricePage, type VisiblePage } from "./visible/visible-page.ts";
import type { ExtractRules } from "./rules/rule.ts";

/** A way to read what the markup of a page does not state. */
export type Fallback = "state" | "visible" | "learned";

export const allFallbacks: ReadonlySet<Fallback> = new Set<Fallback>([
  "state",
  "visible",
  "learned",
]);

/** The readers of a page, except the readers of its markup. */
export interface PageReaders {
  /** The ways to use. Their order is always: state, visible, learned. */
  readonly fallbacks: ReadonlySet<Fallback>;
  /** Required for `learned`. */
  readonly forest?: ForestTable | undefined;
  /** The rules of the deployer for the shop. */
  readonly rules?: ExtractRules | undefined;
}

/** What the markup of a page leaves open. */
export interface Missing {
  readonly price: boolean;
  readonly availability: boolean;
  /** True if the markup states that the product cannot be bought. */
  readonly isOutOfStock: boolean;
}

/**
 * Reads the price and the availability that the markup of a page does not state: from state that
 * the page embeds for its scripts, then from its visible text, then with the forest. The page must
 * belong to the wanted product.
 */
export function fallbackFacts(
  page: VisiblePage,
  missing: Missing,
  { fallbacks, forest }: PageReaders,
): ProductFacts {
  const { outline, controls } = page;
  const isVisible = fallbacks.has("visible");
  const state = fallbacks.has("state") ? stateOf(page, missing) : {};
  const availability =
    state.availability ?? (isVisible ? shownAvailability(outline(), controls()) : undefined);
  const isOut = availability !== undefined && !availabilityOf(availability).inStock;
  // The page of a product that cannot be bought often shows only the prices of other products.
  const usable = fallbacks.has("learned") && !missing.isOutOfStock && !isOut ? forest : undefined;
  return defined<ProductFacts>({
    price: missing.price
      ? (statePrice(state, page) ?? priceFrom(shownOrLearned(page, isVisible, usable), page))
      : undefined,
    availability: missing.availability ? availability : undefined,
  });
}

function shownOrLearned(
  page: VisiblePage,
  isVisible: boolean,
  forest: ForestTable | undefined,
): ShownAmount | undefined {
  const shown = isVisible ? shownPrice(page.outline(), page.amounts()) : undefined;
  return shown ?? (forest && learnedPrice(pricePage(page), forest));
}

/**
 * Returns true if a page shows another price than its markup states: it does not show the stated
 * amount, and the visible text or the forest determines another one. During sales, markup is often
 * out of date.
 */
export function isContradicted(
  page: VisiblePage,
  amount: number,
  { fallbacks, forest }: PageReaders,
): boolean {
  if (!fallbacks.has("visible") || showsAmount(page.html, amount)) return false;
  if (page.amounts().some((one) => one.amount === amount)) return false;
  return shownOrLearned(page, true, forest) !== undefined;
}

function stateOf(
  { scripts, wanted, titles, outline, amounts }: VisiblePage,
  missing: Missing,
): StateFacts {
  const names = [...titles(), outline().heading?.text ?? ""]
    .map((title) => title.trim().toLowerCase())
    .filter((title) => title !== "");
  const shown = new Set(missing.price ? amounts().map(({ amount }) => amount) : []);
  const values = embeddedValues(scripts(), (text) => {
    const lower = text.toLowerCase();
    return lower.includes(wanted.id.toLowerCase()) || names.some((name) => lower.includes(name));
  });
  return stateProduct(values, {
    id: wanted.id,
    titles: names,
    currency: wanted.currency,
    isShown: (amount) => shown.has(amount),
  });
}

/** Returns the price in embedded state, in the currency of the state or of the shown amount. */
function statePrice({ amount, currency }: StateFacts, page: VisiblePage): OfferedPrice | undefined {
  if (amount === undefined) return undefined;
  if (currency !== undefined) return { amount, currency };
  const shown = page.amounts().find((one) => one.amount === amount && one.mark !== "");
  return shown === undefined ? { amount, currency: undefined } : priceFrom(shown, page);
}

function priceFrom(
  shown: ShownAmount | undefined,
  { html, wanted }: VisiblePage,
): OfferedPrice | undefined {
  if (shown === undefined) return undefined;
  const currency = shownCurrency(shown.mark, wanted.currency, statedCurrencies(html));
  return { amount: shown.amount, currency };
}
