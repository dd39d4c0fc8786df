import type { FieldChange } from "../../api/resources.ts";
import { formatPercentChange } from "../../format/numbers.ts";
import { type ChangeTone, valueWords } from "../watchlists/item-values.ts";

const words: Readonly<Record<FieldChange["kind"], string>> = {
  price_drop: "Price drop",
  price_rise: "Price rise",
  back_in_stock: "Back in stock",
  sold_out: "Sold out",
  delisted: "Delisted",
  new_seller: "New seller",
  other: "Other change",
};

/** Returns the label for the kind of a change, such as `Price drop`. */
export const kindWords = ({ kind }: FieldChange): string => words[kind];

/**
 * Returns the size of a change in percent with its sign, such as `−2.5%`; an empty string if the
 * size is unknown.
 */
export const percentWords = ({ delta_percent: percent }: FieldChange): string =>
  percent === null ? "" : formatPercentChange(percent);

/**
 * Returns the size of a change with its sign and the currency of an amount: `−3.00 USD`. Returns an
 * empty string if one of the values is not a number.
 */
export function amountWords({ delta, field, currency }: FieldChange): string {
  if (delta === null) return "";
  const sign = delta > 0 ? "+" : delta < 0 ? "−" : "";
  return `${sign}${valueWords(field, Math.abs(delta), currency)}`;
}

/**
 * Returns whether a change is `good`, `bad` or `neutral` for a buyer. Only the kind of the change
 * counts.
 */
export function toneOf({ kind }: FieldChange): ChangeTone {
  if (kind === "price_drop" || kind === "back_in_stock") return "good";
  if (kind === "price_rise" || kind === "sold_out" || kind === "delisted") return "bad";
  return "neutral";
}

/**
 * Returns the values of a change: `12.00 → 10.00 USD`. If the field had no value before the change,
 * the last known value comes first: the size of the change is the difference from this value. For a
 * delisted item, returns `listed → delisted`.
 */
export function valuesWords({
  kind,
  field,
  before,
  after,
  last_known: known,
  currency,
}: FieldChange): string {
  if (kind === "delisted") return "listed → delisted";
  const gap =
    before === null && known !== null ? `${valueWords(field, known, currency)}, then ` : "";
  const [from, to] = [before, after].map((value) => valueWords(field, value, currency));
  const unit = ` ${currency}`;
  const isRepeated = from?.endsWith(unit) === true && to?.endsWith(unit) === true;
  return `${gap}${isRepeated ? from.slice(0, -unit.length) : from} → ${to}`;
}
