import { shownCurrency, statedCurrencies } from "./page-currency.ts";
import { embeddedValues } from "./state/embedded-values.ts";
import { scriptedAmounts } from "./state/scripted-amounts.ts";
import { type StateFacts, stateProduct } from "./state/state-product.ts";
import type { AvailabilityWord } from "./availability-word.ts";
import { defined } from "./defined.ts";
import type { OfferedPrice } from "./offer-price.ts";
import type { PageHead } from "./page-head.ts";
import type { ProductFacts } from "./product-facts.ts";
import { type CartControl, cartControls } from "./visible/controls.ts";
import type { ForestTable } from "./visible/forest.ts";
import { learnedPrice } from "./visible/learned-price.ts";
import { type Outline, outlineOf } from "./visible/outline.ts";
import { pageBody } from "./visible/page-body.ts";
import { type ShownAmount, shownAmounts } from "./visible/shown-amounts.ts";
import { shownPrice } from "./visible/shown-price.ts";
import { shownAvailability } from "./visible/stock.ts";
import type { WantedProduct } from "./wanted-product.ts";

/** A way to read what the markup of a page does not state. */
export type Fallback = "state" | "visible" | "learned";

export interface FallbackOptions {
  /** The ways to use. Their order is always: state, visible, learned. */
  readonly fallbacks: ReadonlySet<Fallback>;
  /** Required for `learned`. */
  readonly forest?: ForestTable | undefined;
}

/** What the markup of a page leaves open. */
export interface Missing {
  readonly price: boolean;
  readonly availability: boolean;
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
  { wanted, head, missing }: {
    readonly wanted: WantedProduct;
    readonly head: PageHead;
    readonly missing: Missing;
  },
  { fallbacks, forest }: FallbackOptions,
): ProductFacts {
  const page = pageOf(html, wanted, head);
  const state = fallbacks.has("state") ? stateOf(page) : {};
  let price = missing.price ? statePrice(state, page) : undefined;
  let availability: AvailabilityWord | undefined = state.availability;
  if (fallbacks.has("visible")) {
    price ??= missing.price ? priceFrom(shownPrice(page.outline, page.amounts), page) : undefined;
    availability ??= shownAvailability(page.outline, page.controls);
  }
  if (fallbacks.has("learned") && forest !== undefined && missing.price && price === undefined) {
    price = priceFrom(learnedPrice({ ...page, scripted: scriptedAmounts(html) }, forest), page);
  }
  return defined<ProductFacts>({ price, availability: missing.availability ? availability : undefined });
}

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

function priceFrom(shown: ShownAmount | undefined, { html, wanted }: Page): OfferedPrice | undefined {
  if (shown === undefined) return undefined;
  const currency = shownCurrency(shown.mark, wanted.currency, statedCurrencies(html));
  return { amount: shown.amount, currency };
}
