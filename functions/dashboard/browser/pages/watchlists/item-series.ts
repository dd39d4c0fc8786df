import type { HistoryPoint } from "../../api/resources.ts";
import type { Span, Step } from "../../ui/step-chart.tsx";

/** What the chart of an item shows. */
export interface ItemSeries {
  readonly prices: readonly Step[];
  /** Time spans in which the item was not in stock, or was delisted. */
  readonly outOfStock: readonly Span[];
}

/** Fields with the price of an item, the most specific first. */
const priceFields = ["price", "newMinPrice", "buyboxPrice", "lowestPrice"] as const;

/** Returns the field whose values the chart shows as the price; undefined if no point has one. */
export const priceFieldIn = (points: readonly HistoryPoint[]): string | undefined =>
  priceFields.find((field) => points.some(({ values }) => values[field] !== undefined));

const secondsOf = (at: string): number => Date.parse(at) / 1_000;

/**
 * Returns the prices and the times without stock of an item within a span.
 * @param points the history of the item, oldest first
 */
export function seriesOf(points: readonly HistoryPoint[], span: Span): ItemSeries {
  const field = priceFieldIn(points);
  const prices: Step[] = [];
  const outOfStock: Span[] = [];
  let out: number | undefined;
  for (const { at, status, values } of points) {
    const time = Math.max(secondsOf(at), span.from);
    const value = field === undefined ? undefined : values[field];
    if (status === "not_found") prices.push({ at: time, value: null });
    else if (value !== undefined) {
      prices.push({ at: time, value: typeof value === "number" ? value : null });
    }
    const isOut = status === "not_found" ? true : stockIn(values);
    if (isOut === true) out ??= time;
    else if (isOut === false && out !== undefined) {
      outOfStock.push({ from: out, to: time });
      out = undefined;
    }
  }
  if (out !== undefined) outOfStock.push({ from: out, to: span.to });
  const last = prices.at(-1);
  // The last value holds until the end of the span.
  if (last !== undefined && last.at < span.to) prices.push({ at: span.to, value: last.value });
  return { prices, outOfStock };
}

/** Returns true if a read found the item out of stock, undefined if its stock did not change. */
function stockIn(values: HistoryPoint["values"]): boolean | undefined {
  const { inStock } = values;
  return typeof inStock === "boolean" ? !inStock : undefined;
}
