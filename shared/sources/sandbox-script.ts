/**
 * Ids with scripted behaviour, so that customers can test against what real shops do seldom. All
 * times are UTC; whatever an id does follows from its digits and the time of the read alone.
 */
import type { RetailerDFields } from "../scrapers/product-fields.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";

export type ScriptedBehaviour =
  | "steady"
  | "price_changes_every_read"
  | "stock_comes_and_goes"
  | "sold_out"
  | "comes_and_goes"
  | "delists"
  | "always_partial"
  | "always_unavailable"
  | "always_not_found"
  | "slow";

export interface ReservedId {
  readonly id: string;
  readonly behaviour: ScriptedBehaviour;
  readonly description: string;
}

/** How long a read with a slow id takes. */
export const slowMilliseconds = 3_000;

/** Reserved ids of retailer_d. */
export const reservedIds: readonly ReservedId[] = [
  {
    id: "9000000",
    behaviour: "steady",
    description: "Found, in stock, at the same price for ever.",
  },
  {
    id: "9000001",
    behaviour: "price_changes_every_read",
    description: "Found; the price follows the millisecond, so that two reads differ.",
  },
  {
    id: "9000002",
    behaviour: "stock_comes_and_goes",
    description: "In stock in even minutes, sold out in odd ones.",
  },
  { id: "9000003", behaviour: "sold_out", description: "Found, sold out for ever." },
  {
    id: "9000004",
    behaviour: "comes_and_goes",
    description: "Found in even minutes, not found in odd ones.",
  },
  {
    id: "9000005",
    behaviour: "always_partial",
    description: "Found, but without its price: partial, refunded.",
  },
  { id: "9000006", behaviour: "always_unavailable", description: "Never answered; refunded." },
  { id: "9000007", behaviour: "always_not_found", description: "Never found; charged." },
  {
    id: "9000008",
    behaviour: "slow",
    description: `Found after ${slowMilliseconds / 1_000} seconds, the rest of the call with it.`,
  },
];

/** Ids of this form delist at a time of the customer's choosing. */
export const delistingIds = {
  pattern: /^90(\d{8})$/,
  behaviour: "delists",
  description:
    "90 and the last eight digits of a Unix time in seconds: found until then, not found from " +
    "then on.",
} as const satisfies {
  readonly pattern: RegExp;
  readonly behaviour: ScriptedBehaviour;
  readonly description: string;
};

const behaviours = new Map(reservedIds.map(({ id, behaviour }) => [id, behaviour]));

/** Undefined for an id that is not reserved. */
export const behaviourOf = (id: string): ScriptedBehaviour | undefined =>
  behaviours.get(id) ?? (delistingIds.pattern.test(id) ? delistingIds.behaviour : undefined);

/** Eight digits of a Unix time come again after this many seconds, about three years. */
const delistingCycleSeconds = 100_000_000;

/** True from the time on that a delisting id names; false for every other id. */
function isDelisted(id: string, at: Date): boolean {
  const named = delistingIds.pattern.exec(id)?.[1];
  if (named === undefined) return false;
  const nowSeconds = Math.floor(at.getTime() / 1_000);
  const since = (nowSeconds - Number(named)) % delistingCycleSeconds;
  // The named time is the one nearest to now, before it or after it.
  return (since + delistingCycleSeconds) % delistingCycleSeconds < delistingCycleSeconds / 2;
}

/** A prime, so that reads at a steady beat do not fall on the same price. */
const priceCycleMs = 9_973;
const minuteMs = 60_000;

const isEvenMinute = (at: Date): boolean => Math.floor(at.getTime() / minuteMs) % 2 === 0;

type StatusRule = (moment: { readonly id: string; readonly at: Date }) => ReadStatus;
const always =
  (status: ReadStatus): StatusRule =>
  () =>
    status;

const statuses: Readonly<Record<ScriptedBehaviour, StatusRule>> = {
  steady: always("ok"),
  price_changes_every_read: always("ok"),
  stock_comes_and_goes: always("ok"),
  sold_out: always("ok"),
  comes_and_goes: ({ at }) => (isEvenMinute(at) ? "ok" : "not_found"),
  delists: ({ id, at }) => (isDelisted(id, at) ? "not_found" : "ok"),
  always_partial: always("partial"),
  always_unavailable: always("unavailable"),
  always_not_found: always("not_found"),
  slow: always("ok"),
};

export const scriptedStatus = (
  behaviour: ScriptedBehaviour,
  moment: { readonly id: string; readonly at: Date },
): ReadStatus => statuses[behaviour](moment);

const steadyPrice = 99.99;
const regularPrice = 149.99;

/** What scripted behaviour does to an item: found, in stock, at a steady price, but for the script. */
export function scriptedFields(
  behaviour: ScriptedBehaviour,
  {
    at,
    currency,
    usual,
  }: { readonly at: Date; readonly currency: string; readonly usual: RetailerDFields },
): RetailerDFields {
  const moving = behaviour === "price_changes_every_read";
  const amount = moving ? (5_000 + (at.getTime() % priceCycleMs)) / 100 : steadyPrice;
  const inStock =
    behaviour !== "sold_out" && (behaviour !== "stock_comes_and_goes" || isEvenMinute(at));
  return {
    ...usual,
    price: { amount, currency },
    availability: { inStock, message: inStock ? "In stock" : "Out of stock" },
    retailer_d: {
      ...usual.retailer_d,
      state: inStock ? "ADD_TO_CART" : "SOLD_OUT",
      regularPrice,
      savings: Math.max(0, Math.round((regularPrice - amount) * 100) / 100),
      purchasable: inStock,
    },
  };
}
