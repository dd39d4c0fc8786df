import type { Platform } from "../platforms/catalog.ts";

/** Behavior of a reserved ID in the sandbox, with which customers test rare situations. */
export type ScriptedBehavior =
  | "steady"
  | "price_changes_every_read"
  | "stock_comes_and_goes"
  | "sold_out"
  | "comes_and_goes"
  | "delists"
  | "always_partial"
  | "always_unavailable"
  | "always_not_found"
  | "slow"
  | "no_buy_box"
  | "parent"
  | "many_offers"
  | "variation_parent";

/** An item ID that always has the same behavior in the sandbox. */
export interface ReservedId {
  readonly id: string;
  readonly behavior: ScriptedBehavior;
  readonly description: string;
}

/** A pattern of reserved IDs. All matching IDs have the same behavior. */
export interface ReservedForm {
  readonly pattern: RegExp;
  readonly behavior: ScriptedBehavior;
  readonly description: string;
}

/** Duration of a read of an ID with the behavior `slow`, in milliseconds. */
export const slowMilliseconds = 3_000;

/**
 * Behaviors that have a reserved ID on every platform. The ID ends with the index of the behavior
 * in this array.
 */
const everywhere = [
  ["steady", "Found, in stock, always at the same price."],
  [
    "price_changes_every_read",
    "Found; the price depends on the time in milliseconds, so that two reads differ.",
  ],
  ["stock_comes_and_goes", "In stock in even minutes, sold out in odd ones."],
  ["sold_out", "Found, always sold out."],
  ["comes_and_goes", "Found in even minutes, not found in odd ones."],
  ["always_partial", "Found, but without its price: partial, refunded. Offers are unavailable."],
  ["always_unavailable", "Always unavailable; refunded."],
  ["always_not_found", "Never found; charged."],
  ["slow", `Found after ${slowMilliseconds / 1_000} seconds, like all items of the same call.`],
] as const;

const common = (prefix: string): readonly ReservedId[] =>
  everywhere.map(([behavior, description], n) => ({
    id: `${prefix}${n}`,
    behavior,
    description,
  }));

/** Reserved IDs of the sandbox by platform. */
export const reservedIds: Readonly<Record<Platform, readonly ReservedId[]>> = {
  retailer_a: [
    ...common("B0SANDBOX"),
    {
      id: "B0SANDBOXN",
      behavior: "no_buy_box",
      description: "Found with offers, none of which holds the buy box.",
    },
    {
      id: "B0SANDBOXP",
      behavior: "parent",
      description: "A parent listing with no buyable option: no offers, no buy box.",
    },
    {
      id: "B0SANDBOXM",
      behavior: "many_offers",
      description: "Found with 45 offers in several conditions, more than one read shows.",
    },
  ],
  retailer_b: common("900000"),
  retailer_c: [
    ...common("900000"),
    {
      id: "9000009",
      behavior: "variation_parent",
      description: "A variation parent: returns its featured variant, tcin 9000000.",
    },
  ],
  retailer_d: common("900000"),
};

/** Item number of the featured variant, which a read of the reserved variation parent returns. */
export const featuredVariantTcin = "9000000";

const delisting = (start: string, pattern: RegExp): ReservedForm => ({
  pattern,
  behavior: "delists",
  description:
    `${start} and the last eight digits of a Unix time in seconds: found until then, not found ` +
    "from then on.",
});

const numericDelisting = delisting("90", /^90(\d{8})$/);

/** Patterns of IDs that are delisted at a time that the customer encodes in the ID. */
export const delistingIds: Readonly<Record<Platform, ReservedForm>> = {
  retailer_a: delisting("BX", /^BX(\d{8})$/),
  retailer_b: numericDelisting,
  retailer_c: numericDelisting,
  retailer_d: numericDelisting,
};
