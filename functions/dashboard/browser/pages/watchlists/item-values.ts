import type { WatchlistItem } from "../../api/resources.ts";

type FieldValue = NonNullable<WatchlistItem["snapshot"]>[string];

const amount = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

/** Returns true for a field that contains an amount in the watchlist's currency. */
const isAmount = (field: string): boolean => /price$/i.test(field);

/** Returns a text for the value of a tracked field: `1,012.50 USD`, `yes`, `nothing`. */
export function valueWords(field: string, value: FieldValue, currency: string): string {
  if (value === null) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && isAmount(field)) {
    return `${amount.format(value)} ${currency}`;
  }
  return typeof value === "number" ? plain.format(value) : value;
}

/**
 * Returns a short text for the price and the availability of an item: `12.50 USD, in stock`.
 * Returns `read` if both are unknown, and `not read yet` before the first read.
 */
export function summaryOf({ snapshot }: WatchlistItem, currency: string): string {
  if (snapshot === null) return "not read yet";
  const price = snapshot["price"] ?? snapshot["newMinPrice"] ?? snapshot["lowestPrice"];
  const stock = snapshot["inStock"];
  const parts = [
    ...(typeof price === "number" ? [valueWords("price", price, currency)] : []),
    ...(typeof stock === "boolean" ? [stock ? "in stock" : "out of stock"] : []),
  ];
  return parts.length === 0 ? "read" : parts.join(", ");
}

/**
 * Returns a text for the last change: `price 10.00 USD → 12.50 USD, and 2 more`. Returns
 * `no change yet` if there is none.
 */
export function changeSummary({ last_change: change }: WatchlistItem, currency: string): string {
  const [first, ...others] = Object.entries(change?.changes ?? {});
  if (first === undefined) return "no change yet";
  const [field, { before, after }] = first;
  const words = `${field} ${valueWords(field, before, currency)} → ${valueWords(field, after, currency)}`;
  return others.length === 0 ? words : `${words}, and ${others.length} more`;
}
