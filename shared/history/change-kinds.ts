import { invalidParam } from "../base/errors.ts";
import type { FieldValue } from "../scrapers/catalog.ts";

/**
 * The meaning of a change for a person who watches prices. `other` is the kind of all other
 * changes.
 */
export const changeKinds = [
  "price_drop",
  "price_rise",
  "back_in_stock",
  "sold_out",
  "delisted",
  "new_seller",
  "other",
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/**
 * Field name that lists of changes use to report that a read delisted an item. No scraper has a
 * field with this name.
 */
export const delistedField = "delisted";

/**
 * Fields with a price at which the item can be bought. List prices and prices of used items are not
 * included.
 */
const priceFields = ["price", "newMinPrice", "buyboxPrice", "lowestPrice"] as const;
const stockFields = ["inStock"] as const;
const sellerFields = ["merchant", "buyboxSeller", "seller"] as const;

/**
 * For each kind of change except `other`, the fields whose changes can have this kind. Changes of
 * every field can be of kind `other`.
 */
const fieldsOf: Readonly<Record<Exclude<ChangeKind, "other">, readonly string[]>> = {
  price_drop: priceFields,
  price_rise: priceFields,
  back_in_stock: stockFields,
  sold_out: stockFields,
  delisted: [delistedField],
  new_seller: sellerFields,
};

/** Returns true if a change of the field can have this kind, such as `price_drop`. */
export const isFieldOfKind = (field: string, kind: ChangeKind): boolean =>
  kind === "other" ? field !== delistedField : fieldsOf[kind].includes(field);

/** Returns true if changes of the kind are differences between numbers. */
const isOfNumbers = (kind: ChangeKind): boolean =>
  kind === "price_drop" || kind === "price_rise" || kind === "other";

interface KindOfChange {
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  /** Difference from the last known number; null if no number was known. */
  readonly delta: number | null;
}

/**
 * Returns the kind of a change. The kind of a price change is `other` if the price disappears, if
 * it reappears with the same amount, or if no earlier amount is known. The kind of a stock or
 * seller change is `other` if the value before or after the change is unknown (null). The kind of a
 * change of any other field is `other`, except for a delisting (`delisted`).
 */
export function kindOf({ field, before, after, delta }: KindOfChange): ChangeKind {
  if (isFieldOfKind(field, "delisted")) return "delisted";
  if (isFieldOfKind(field, "price_drop")) return kindOfPrice(delta);
  if (isFieldOfKind(field, "sold_out")) return kindOfStock(before, after);
  const isSeller = isFieldOfKind(field, "new_seller");
  return isSeller && before !== null && after !== null ? "new_seller" : "other";
}

function kindOfPrice(delta: number | null): ChangeKind {
  if (delta === null || delta === 0) return "other";
  return delta < 0 ? "price_drop" : "price_rise";
}

function kindOfStock(before: FieldValue, after: FieldValue): ChangeKind {
  if (before === true && after === false) return "sold_out";
  return before === false && after === true ? "back_in_stock" : "other";
}

/** For each kind whose changes all have the same direction, the only `op` that can match them. */
const onlyOps: Readonly<Partial<Record<ChangeKind, string>>> = {
  price_drop: "decreased",
  price_rise: "increased",
};

/**
 * Checks that at least one change can match both a filter by kind and the other filters of the
 * request.
 * @param numeric the parameters of the request that compare numbers, by name
 * @throws 400 INVALID_PARAM if no change can match all of these filters
 */
export function checkKind(
  kind: ChangeKind,
  field: string | undefined,
  numeric: Readonly<Record<string, string | number | undefined>>,
): void {
  if (field !== undefined && !isFieldOfKind(field, kind)) {
    throw invalidParam(
      "kind",
      `A change of '${field}' never has the 'kind' ${kind}. Send another 'kind', or omit 'field'.`,
    );
  }
  const op = onlyOps[kind];
  if (op !== undefined && numeric["op"] !== undefined && numeric["op"] !== op) {
    throw invalidParam(
      "op",
      `A change of the 'kind' ${kind} never has the 'op' ${numeric["op"]}. Send the 'op' ${op}, or omit ` +
        "'op'.",
    );
  }
  if (isOfNumbers(kind)) return;
  const sent = Object.entries(numeric).find(([, value]) => value !== undefined);
  if (sent === undefined) return;
  const [param] = sent;
  throw invalidParam(
    param,
    `'${param}' compares numbers, but a change of the 'kind' ${kind} has none. Send another 'kind', or ` +
      `omit '${param}'.`,
  );
}
