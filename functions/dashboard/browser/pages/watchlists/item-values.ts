import type { WatchlistItem } from "../../api/resources.ts";
import { formatMoney, formatNumber } from "../../format/numbers.ts";

type FieldValue = NonNullable<WatchlistItem["snapshot"]>[string];

/** Returns true for a field that contains an amount in the watchlist's currency. */
const isAmount = (field: string): boolean => /price$/i.test(field);

/**
 * Returns the value of a tracked field as a label: `1,012.50 USD`, `yes`, or `nothing` for null.
 */
export function valueWords(field: string, value: FieldValue, currency: string): string {
  if (value === null) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  return isAmount(field) ? formatMoney(value, currency) : formatNumber(value);
}

/**
 * Returns a short text for the price and the availability of an item: `12.50 USD, in stock`. For a
 * delisted item, returns its last price (`last 12.50 USD`), or `delisted` if the price is unknown.
 * If the item has values, but neither a price nor an availability, returns `read`. If it has no
 * values, returns `not read yet` before the first read, and `no values` after it.
 */
export function summaryOf(
  {
    state,
    snapshot,
    last_read_at: readAt,
  }: Pick<WatchlistItem, "state" | "snapshot" | "last_read_at">,
  currency: string,
): string {
  if (snapshot === null) return readAt === null ? "not read yet" : "no values";
  const price = snapshot["price"] ?? snapshot["newMinPrice"] ?? snapshot["lowestPrice"];
  if (state === "delisted") {
    return typeof price === "number" ? `last ${valueWords("price", price, currency)}` : "delisted";
  }
  const stock = snapshot["inStock"];
  const parts = [
    ...(typeof price === "number" ? [valueWords("price", price, currency)] : []),
    ...(typeof stock === "boolean" ? [stock ? "in stock" : "out of stock"] : []),
  ];
  return parts.length === 0 ? "read" : parts.join(", ");
}

/** The part of an item's last change that a row shows. */
export interface MainChange {
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  /**
   * The change in percent, relative to `before`; undefined if one of the values is not a number, or
   * if `before` is 0.
   */
  readonly percent: number | undefined;
  /** The number of other fields that changed. */
  readonly others: number;
}

/**
 * Returns the last change of an item: the change of its price, or the change of the first changed
 * field if the price did not change. Returns undefined if the item has not changed yet.
 */
export function mainChangeOf({
  last_change: change,
}: Pick<WatchlistItem, "last_change">): MainChange | undefined {
  const changes = Object.entries(change?.changes ?? {});
  const main = changes.find(([field]) => isAmount(field)) ?? changes[0];
  if (main === undefined) return undefined;
  const [field, { before, after }] = main;
  const percent =
    typeof before === "number" && typeof after === "number" && before !== 0
      ? ((after - before) / Math.abs(before)) * 100
      : undefined;
  return { field, before, after, percent, others: changes.length - 1 };
}

/**
 * Whether a change is good or bad for a buyer. It selects the color of the change; a sign in the
 * text shows the same.
 */
export type ChangeTone = "good" | "bad" | "neutral";

/**
 * Returns the tone of a change for a buyer: `good` for a lower price, `bad` for a higher price, and
 * `neutral` for any other change.
 */
export const toneOf = ({ field, percent = 0 }: MainChange): ChangeTone =>
  !isAmount(field) || percent === 0 ? "neutral" : percent < 0 ? "good" : "bad";
