import type { HistoryPoint } from "../../api/resources.ts";
import type { Span, Step } from "../../ui/steps.ts";

/** What the chart of an item shows. */
export interface ItemSeries {
  readonly prices: readonly Step[];
  /** Time spans in which the item was not in stock, or was delisted. */
  readonly outOfStock: readonly Span[];
}

/** Fields with the price of an item, the most specific first. */
const priceFields = ["price", "newMinPrice", "buyboxPrice", "lowestPrice"] as const;

/**
 * Returns the field whose values the chart shows as the price; undefined if no history point has a
 * price.
 */
export const priceFieldIn = (points: readonly HistoryPoint[]): string | undefined =>
  priceFields.find((field) => points.some(({ values }) => values[field] !== undefined));

/** Converts an ISO 8601 time to Unix seconds, the unit of charts. */
export const secondsOf = (at: string): number => Date.parse(at) / 1_000;

/**
 * Returns the prices of an item within a span, and the periods in which the item was out of stock.
 * If a price is known for the start of the span, the prices begin with it.
 * @param points the history of the item, oldest first
 */
export function seriesOf(points: readonly HistoryPoint[], span: Span): ItemSeries {
  return {
    prices: pricesIn(points, priceFieldIn(points), span),
    outOfStock: outOfStockIn(points, span),
  };
}

function pricesIn(
  points: readonly HistoryPoint[],
  field: string | undefined,
  span: Span,
): readonly Step[] {
  const prices: Step[] = [];
  for (const { at, status, values } of points) {
    const value = status === "not_found" ? null : field && values[field];
    const time = secondsOf(at);
    if (value === undefined || time > span.to) continue;
    const step = { at: Math.max(time, span.from), value: typeof value === "number" ? value : null };
    // Of the values before the span, only the last one is still valid when the span begins.
    if (prices.at(-1)?.at === step.at) prices.pop();
    prices.push(step);
  }
  const last = prices.at(-1);
  // The last value stays valid until the end of the span.
  if (last !== undefined && last.at < span.to) prices.push({ at: span.to, value: last.value });
  return prices;
}

function outOfStockIn(points: readonly HistoryPoint[], span: Span): readonly Span[] {
  const spans: Span[] = [];
  let out: number | undefined;
  const end = (to: number): void => {
    if (out !== undefined && to > span.from) spans.push({ from: Math.max(out, span.from), to });
    out = undefined;
  };
  for (const { at, status, values } of points) {
    const time = secondsOf(at);
    if (time > span.to) break;
    if (status === "not_found" || values["inStock"] === false) out ??= time;
    else if (values["inStock"] === true) end(time);
  }
  end(span.to);
  return spans;
}
