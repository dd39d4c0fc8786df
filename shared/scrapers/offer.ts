import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { isVisibleText, lengthOf } from "../base/visible-text.ts";

/** Known conditions of an offer. The retailer may add more. */
export const offerConditions = [
  "new",
  "used_like_new",
  "used_very_good",
  "used_good",
  "used_acceptable",
  "refurbished",
  "collectible_like_new",
  "collectible_very_good",
  "collectible_good",
  "collectible_acceptable",
  "other",
] as const;

export type OfferCondition = (typeof offerConditions)[number];

/** One offer on a listing (specification, section "Offer (offers endpoints)"). */
export const offerSchema = v.pipe(
  v.object({
    offerListingId: v.pipe(
      v.string(),
      v.description("Identifies this exact offer. Send it back as it was returned."),
    ),
    price: v.pipe(v.number(), v.description("In the marketplace currency, without shipping.")),
    currency: v.pipe(v.string(), v.description("ISO 4217."), v.examples(["USD"])),
    priceDisplay: v.pipe(v.string(), v.examples(["$1,249.00"])),
    shipping: v.optional(
      v.pipe(v.number(), v.description("0 for free delivery; absent when not stated.")),
    ),
    condition: v.pipe(
      v.string(),
      v.description("More values may be added."),
      v.examples([...offerConditions]),
    ),
    conditionNote: v.optional(v.pipe(v.string(), v.description("The seller's comment."))),
    seller: v.object({
      id: v.string(),
      name: v.string(),
      rating: v.optional(v.number()),
      ratingCount: v.optional(v.pipe(v.number(), v.integer())),
    }),
    fulfillment: v.object({
      isFba: v.pipe(v.boolean(), v.description("True when the retailer ships the offer.")),
      fulfillerName: v.string(),
    }),
    isBuybox: v.pipe(v.boolean(), v.description("True for the offer in the buy box.")),
    availability: v.optional(v.pipe(v.string(), v.examples(["In Stock"]))),
    delivery: v.optional(v.pipe(v.string(), v.examples(["FREE delivery Tuesday, March 3"]))),
  }),
  v.title("Offer"),
);

/**
 * Returns true if a string has the format of an offer ID. An offer check with any other string gets
 * its answer without a read of the source and without a charge.
 */
export const isOfferListingId = (text: string): boolean =>
  text !== "" && lengthOf(text) <= limits.offerListingIdLengthMax && isVisibleText(text);

/** Filters of offers by condition. `used` means every condition except new. */
export const conditionFilters = ["all", "new", "used"] as const;
export type ConditionFilter = (typeof conditionFilters)[number];

/**
 * Returns true if the condition of an offer matches the filter. `used` matches every condition
 * except new.
 */
export const matchesCondition = (
  { condition }: Pick<Offer, "condition">,
  filter: ConditionFilter,
): boolean => filter === "all" || (condition === "new") === (filter === "new");

type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

export type Offer = DeepReadonly<v.InferOutput<typeof offerSchema>>;
