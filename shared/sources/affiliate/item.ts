import * as v from "valibot";
import {
  foreignAmount,
  foreignCount,
  foreignFlag,
  foreignPrice,
  foreignUrl,
} from "../contract/foreign-value.ts";
import { lineOf } from "../contract/html-text.ts";

/** The maximum length of a text field, in characters. Longer values are truncated. */
const textLengthMax = 1_000;
const ratingMax = 5;

/** An item number, sent as a number or as text. */
const itemNumber = v.pipe(
  v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(0)), v.string()]),
  v.transform((value) => String(value).trim()),
  v.regex(/^\d{1,15}$/),
);

/** A text field. The source escapes HTML in it, and sends some text fields as numbers. */
const text = v.fallback(
  v.optional(
    v.pipe(
      v.union([v.string(), v.pipe(v.number(), v.finite())]),
      v.transform((value) => lineOf(String(value)).slice(0, textLengthMax).trim()),
      v.minLength(1),
    ),
  ),
  undefined,
);

const rating = v.fallback(
  v.optional(
    v.pipe(
      v.union([v.number(), v.pipe(v.string(), v.trim(), v.decimal(), v.transform(Number))]),
      v.finite(),
      v.minValue(0),
      v.maxValue(ratingMax),
    ),
  ),
  undefined,
);

const picture = v.fallback(
  v.nullish(
    v.object({
      entityType: text,
      largeImage: foreignUrl,
      mediumImage: foreignUrl,
      thumbnailImage: foreignUrl,
    }),
  ),
  null,
);

const entries = {
  itemId: itemNumber,
  parentItemId: v.fallback(v.optional(itemNumber), undefined),
  name: text,
  salePrice: foreignPrice,
  msrp: foreignPrice,
  upc: text,
  modelNumber: text,
  brandName: text,
  color: text,
  condition: text,
  categoryPath: text,
  offerId: text,
  offerType: text,
  marketplace: foreignFlag,
  sellerInfo: text,
  availableOnline: foreignFlag,
  stock: text,
  preOrder: foreignFlag,
  clearance: foreignFlag,
  standardShipRate: foreignAmount,
  isTwoDayShippingEligible: foreignFlag,
  maxItemsInOrder: foreignCount,
  customerRating: rating,
  numReviews: foreignCount,
  imageEntities: v.fallback(v.optional(v.array(picture), []), []),
  largeImage: foreignUrl,
  mediumImage: foreignUrl,
  thumbnailImage: foreignUrl,
  productUrl: foreignUrl,
  productTrackingUrl: foreignUrl,
};

/**
 * Matches names of fields that contain a value in their name: the order amount from which shipping
 * is free, or the shipper.
 */
const freeShippingName = /^freeShippingOver\d+Dollars$/;
const fulfilledByName = /^fulfilledBy[A-Z]\w*$/;

/**
 * Schema of an item of the source's reply. Only the item number is required. Two fields whose names
 * contain a value in the reply are parsed to `freeOverThreshold` and `shippedByRetailer`.
 */
export const affiliateItem = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform((raw) => ({
    ...raw,
    freeOverThreshold: valueNamed(raw, freeShippingName),
    shippedByRetailer: valueNamed(raw, fulfilledByName),
  })),
  v.object({ ...entries, freeOverThreshold: foreignFlag, shippedByRetailer: foreignFlag }),
);

export type AffiliateItem = v.InferOutput<typeof affiliateItem>;

/** Returns the value of the first field whose name matches; undefined if there is none. */
function valueNamed(raw: Readonly<Record<string, unknown>>, name: RegExp): unknown {
  const foundKey = Object.keys(raw).find((key) => name.test(key));
  return foundKey === undefined ? undefined : raw[foundKey];
}
