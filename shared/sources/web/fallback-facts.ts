import { shownCurrency, statedCurrencies } from "./page-currency.ts";
import { embeddedValues } from "./state/embedded-values.ts";
import { scriptedAmounts } from "./state/scripted-amounts.ts";
import { type StateFacts, stateProduct } from "./state/state-product.ts";
import { type AvailabilityWord, availabilityOf } from "./availability-word.ts";
import { defined } from "./defined.ts";
import type { OfferedPrice } from "./offer-price.ts";
import type { PageHead } from "./page-head.ts";
import type { ProductFacts } from "./product-facts.ts";
import { type CartControl, cartControls } from "./visible/controls.ts";
import type { ForestTable } from "./visible/forest.ts";
import { learnedPrice } from "./visible/learned-price.ts";
import { type Outline, outlineOf } from "./visible/outline.ts";
import { pageBody, showsAmount } from "./visible/page-body.ts";
import { type ShownAmount, shownAmounts } from "./visible/shown-amounts.ts";
import { shownPrice } from "./visible/shown-price.ts";
import { shownAvailability } from "./visible/stock.ts";
import type { ExtractRules } from "./rules/rule.ts";
import type { PricePage } from "./visible/price-features.ts";
import type { WantedProduct } from "./wanted-product.ts";

/** A way to read what the markup of a page does not state. */
export type Fallback = "state" | "visible" | "learned";

export const allFallbacks: ReadonlySet<Fallback> = new Set<Fallback>([
  "state",
  "visible",
  "learned",
]);

/** The readers of a page beside those of its markup. */
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

/** The parts of a page that several fallbacks need. Each is computed once, on first use. */
interface Page {
  readonly html: string;
  readonly wanted: WantedProduct;
  readonly titles: readonly string[];
  readonly outline: Outline;
  readonly amounts: readonly ShownAmount[];
  readonly controls: readonly CartControl[];
}

/**
 * Reads the price and the availability that the markup of a page does not state: from state that
 * the page embeds for its scripts, then from its visible text, then with the forest. The page must
 * be that of the wanted product.
 */
export function fallbackFacts(
  html: string,
  {
    wanted,
    head,
    missing,
  }: {
    readonly wanted: WantedProduct;
    readonly head: () => PageHead;
    readonly missing: Missing;
  },
  { fallbacks, forest }: PageReaders,
): ProductFacts {
  const page = pageOf(html, wanted, head());
  const state = fallbacks.has("state") ? stateOf(page) : {};
  let price = missing.price ? statePrice(state, page) : undefined;
  let availability: AvailabilityWord | undefined = state.availability;
  if (fallbacks.has("visible")) {
    price ??= missing.price ? priceFrom(shownPrice(page.outline, page.amounts), page) : undefined;
    availability ??= shownAvailability(page.outline, page.controls);
  }
  const isOut = missing.isOutOfStock || (availability && !availabilityOf(availability).inStock);
  // The page of a product that cannot be bought often shows only the prices of other products.
  const canLearn = fallbacks.has("learned") && missing.price && isOut !== true;
  if (forest !== undefined && canLearn && price === undefined) {
    price = priceFrom(learnedPrice(withScripted(page), forest), page);
  }
  return defined<ProductFacts>({
    price,
    availability: missing.availability ? availability : undefined,
  });
}

/**
 * Returns true if a page shows another price than its markup states: it does not show the stated
 * amount, and the visible text or the forest determines another one. During sales, markup is often
 * out of date.
 */
export function isContradicted(
  html: string,
  {
    wanted,
    head,
    amount,
  }: {
    readonly wanted: WantedProduct;
    readonly head: () => PageHead;
    readonly amount: number;
  },
  { fallbacks, forest }: PageReaders,
): boolean {
  if (!fallbacks.has("visible") || showsAmount(html, amount)) return false;
  const page = pageOf(html, wanted, head());
  if (page.amounts.some((one) => one.amount === amount)) return false;
  const learned = (): ShownAmount | undefined => forest && learnedPrice(withScripted(page), forest);
  return (shownPrice(page.outline, page.amounts) ?? learned()) !== undefined;
}

/** Returns the parts of a page from which the features of its amounts are computed. */
export const pricePage = (html: string, wanted: WantedProduct, head: PageHead): PricePage =>
  withScripted(pageOf(html, wanted, head));

const withScripted = (page: Page): PricePage => ({
  ...page,
  scripted: scriptedAmounts(page.html),
});

function pageOf(html: string, wanted: WantedProduct, head: PageHead): Page {
  const titles = [head.metas.get("og:title"), head.title].filter((title) => title !== undefined);
  const outline = outlineOf(pageBody(html, titles), titles);
  const amounts = shownAmounts(outline, wanted.currency);
  return { html, wanted, titles, outline, amounts, controls: cartControls(outline) };
}

function stateOf({ html, wanted, titles, outline, amounts }: Page): StateFacts {
  const names = [...titles, outline.heading?.text ?? ""].map((title) => title.trim().toLowerCase());
  const shown = new Set(amounts.map(({ amount }) => amount));
  const known = names.filter((name) => name !== "");
  const values = embeddedValues(html, (text) => {
    const lower = text.toLowerCase();
    return lower.includes(wanted.id.toLowerCase()) || known.some((name) => lower.includes(name));
  });
  return stateProduct(values, {
    id: wanted.id,
    titles: known,
    currency: wanted.currency,
    isShown: (amount) => shown.has(amount),
  });
}

/** Returns the price in embedded state, in the currency of the state or of the shown amount. */
function statePrice({ amount, currency }: StateFacts, page: Page): OfferedPrice | undefined {
  if (amount === undefined) return undefined;
  if (currency !== undefined) return { amount, currency };
  const shown = page.amounts.find((one) => one.amount === amount && one.mark !== "");
  return shown === undefined ? { amount, currency: undefined } : priceFrom(shown, page);
}

function priceFrom(
  shown: ShownAmount | undefined,
  { html, wanted }: Page,
): OfferedPrice | undefined {
  if (shown === undefined) return undefined;
  const currency = shownCurrency(shown.mark, wanted.currency, statedCurrencies(html));
  return { amount: shown.amount, currency };
}
