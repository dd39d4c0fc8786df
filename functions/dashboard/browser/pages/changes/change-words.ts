import type { FieldChange } from "../../api/resources.ts";
import { kinds } from "./change-filter.ts";

const amount = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const percent = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** Returns the kind of a change for people, such as `Price drops`. */
export const kindWords = ({ kind }: FieldChange): string =>
  kinds.find(([one]) => one === kind)?.[1] ?? kind;

/**
 * Returns the size of a change with its sign: `−12.5%`, or `−3.00 USD` if the value before was 0.
 * Returns an empty text unless both values are numbers.
 */
export function sizeWords({ delta, delta_percent: share, currency }: FieldChange): string {
  if (delta === null) return "";
  if (share !== null) return percent.format(share / 100).replace("-", "−");
  const sign = delta > 0 ? "+" : delta < 0 ? "−" : "";
  return `${sign}${amount.format(Math.abs(delta))} ${currency}`;
}

/** Whether a change is good or bad for a buyer. It selects a color, which a sign or word repeats. */
export function toneOf({ kind, delta }: FieldChange): "good" | "bad" | "neutral" {
  if (kind === "price_drop" || kind === "back_in_stock") return "good";
  if (kind === "price_rise" || kind === "sold_out" || kind === "delisted") return "bad";
  return delta === null || delta === 0 ? "neutral" : delta < 0 ? "good" : "bad";
}
