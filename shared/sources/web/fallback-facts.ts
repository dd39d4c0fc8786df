import { currencyOfAmount, findCurrencies } from "./page-currency.ts";
import { findEmbeddedValues } from "./state/embedded-values.ts";
import { type StateFacts, stateProduct } from "./state/state-product.ts";
import { availabilityOf } from "./availability-word.ts";
import { omitUndefined } from "../contract/defined.ts";
import type { OfferedPrice } from "./offer-price.ts";
import { needsPrice, type ProductFacts } from "./product-facts.ts";
import type { ForestTable } from "./visible/forest.ts";
import { predictPrice } from "./visible/learned-price.ts";
import type { ShownAmount } from "./visible/shown-amounts.ts";
import { findShownPrice } from "./visible/shown-price.ts";
import { showsAmount } from "./visible/shows-amount.ts";
import { findAvailability } from "./visible/stock.ts";
import { pricePage, type VisiblePage } from "./visible/visible-page.ts";
import type { ExtractRules } from "./rules/rule.ts";

/** A way to read facts that the markup of a page does not state. */
export type Fallback = "state" | "visible";

/** All ways to read facts that the markup does not state. */
export const allFallbacks: ReadonlySet<Fallback> = new Set<Fallback>(["state", "visible"]);

/** The readers of a page, except the readers of its markup. */
export interface PageReaders {
  /** The ways to read facts. `state` is always used before `visible`. */
  readonly fallbacks: ReadonlySet<Fallback>;
  /** Selects a price in the visible text if no other way finds one. */
  readonly forest?: ForestTable | undefined;
  /** The deployer's rules for the shop. */
  readonly rules?: ExtractRules | undefined;
}

/**
 * Returns the availability of a product, and its price if `facts` has none, from the page of the
 * requested product. An availability in `facts` takes precedence. Reads first the state that the
 * page embeds for its scripts, then the visible text, then the price forest (a trained model that
 * selects the price among the amounts of a page). Uses only the ways in `fallbacks`, and no forest
 * if the product is out of stock.
 * @param facts the facts from the deployer's rules and the markup
 */
export function fallbackFacts(
  page: VisiblePage,
  facts: ProductFacts,
  { fallbacks, forest }: PageReaders,
): ProductFacts {
  const isVisible = fallbacks.has("visible");
  const isPriceNeeded = needsPrice(facts);
  const state = fallbacks.has("state") ? stateOf(page, isPriceNeeded) : {};
  const shown = isVisible ? findAvailability(page.outline(), page.controls()) : undefined;
  const stocks = [facts.availability, state.availability, shown].filter((one) => one !== undefined);
  // If the product cannot be bought, the page often shows only the prices of other products, so the
  // forest is not used.
  const isOut = stocks.some((word) => !availabilityOf(word).inStock);
  const usable = isOut ? undefined : forest;
  return omitUndefined<ProductFacts>({
    price: isPriceNeeded
      ? (statePrice(state, page) ?? priceFrom(shownOrLearned(page, isVisible, usable), page))
      : undefined,
    availability: stocks[0],
  });
}

/** Returns the price in the visible text, or otherwise the price that the forest selects. */
function shownOrLearned(
  page: VisiblePage,
  isVisible: boolean,
  forest: ForestTable | undefined,
): ShownAmount | undefined {
  const shown = isVisible ? findShownPrice(page.outline(), page.amounts()) : undefined;
  return shown ?? (forest && predictPrice(pricePage(page), forest));
}

/**
 * Returns true if a page does not show `amount`, the price that its markup states, but the visible
 * text or the price forest determines another price. During sales, markup is often out of date.
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

/** Reads the facts of the product from the state that the page embeds for its scripts. */
function stateOf(
  { scripts, wanted, titles, outline, amounts }: VisiblePage,
  isPriceNeeded: boolean,
): StateFacts {
  const names = [...titles(), outline().heading?.text ?? ""]
    .map((title) => title.trim().toLowerCase())
    .filter((title) => title !== "");
  const shown = new Set(isPriceNeeded ? amounts().map(({ amount }) => amount) : []);
  const values = findEmbeddedValues(scripts(), (text) => {
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

/**
 * Returns the price that the state embedded in a page contains. If the state names no currency,
 * uses that of the same amount in the visible text.
 */
function statePrice({ amount, currency }: StateFacts, page: VisiblePage): OfferedPrice | undefined {
  if (amount === undefined) return undefined;
  if (currency !== undefined) return { amount, currency };
  const shown = page.amounts().find((one) => one.amount === amount && one.mark !== "");
  return shown === undefined ? { amount, currency: undefined } : priceFrom(shown, page);
}

/** Returns a shown amount with its currency; undefined if there is no amount. */
function priceFrom(
  shown: ShownAmount | undefined,
  { html, wanted }: VisiblePage,
): OfferedPrice | undefined {
  if (shown === undefined) return undefined;
  const currency = currencyOfAmount(shown.mark, wanted.currency, findCurrencies(html));
  return { amount: shown.amount, currency };
}
