/**
 * The behavior of reserved IDs by platform. The answer for a reserved ID depends only on the ID and
 * the time of the read in UTC.
 */
import type { Platform } from "../../platforms/catalog.ts";
import { delistingIds, reservedIds, type ScriptedBehavior } from "../../scrapers/reserved-ids.ts";
import type { ReadStatus } from "../../scrapers/scraper.ts";

const behaviors: Readonly<Record<Platform, ReadonlyMap<string, ScriptedBehavior>>> = {
  retailer_a: byId("retailer_a"),
  retailer_b: byId("retailer_b"),
  retailer_c: byId("retailer_c"),
  retailer_d: byId("retailer_d"),
};

/** Returns the behavior of each reserved ID of a platform. */
function byId(platform: Platform): ReadonlyMap<string, ScriptedBehavior> {
  return new Map(reservedIds[platform].map(({ id, behavior }) => [id, behavior]));
}

/** Returns the behavior of an ID that the sandbox reserves for tests; undefined for other IDs. */
export function behaviorOf(platform: Platform, id: string): ScriptedBehavior | undefined {
  const form = delistingIds[platform];
  return behaviors[platform].get(id) ?? (form.pattern.test(id) ? form.behavior : undefined);
}

/** Seconds after which the last eight digits of a Unix time repeat (about three years). */
const delistingCycleSeconds = 100_000_000;
/** The number of time digits at the end of a delisting ID, on every platform. */
const delistingDigits = 8;

/**
 * Returns true from the time that a delisting ID contains. The ID ends with the last eight digits
 * of this time, in seconds since 1970.
 */
function isDelisted(id: string, at: Date): boolean {
  const named = Number(id.slice(-delistingDigits));
  const nowSeconds = Math.floor(at.getTime() / 1_000);
  const since = (nowSeconds - named) % delistingCycleSeconds;
  // The eight digits match one time in each cycle. The time that is nearest to now is used.
  return (since + delistingCycleSeconds) % delistingCycleSeconds < delistingCycleSeconds / 2;
}

/**
 * Length of a price cycle, in milliseconds. It is a prime number, so that reads at a fixed interval
 * do not always return the same price.
 */
const priceCycleMs = 9_973;
const minuteMs = 60_000;

const isEvenMinute = (at: Date): boolean => Math.floor(at.getTime() / minuteMs) % 2 === 0;

const fixedStatuses: ReadonlyMap<ScriptedBehavior, ReadStatus> = new Map([
  ["always_partial", "partial"],
  ["always_unavailable", "unavailable"],
  ["always_not_found", "not_found"],
]);

/**
 * Returns the status of a read of a reserved ID at a given time, according to the ID's behavior.
 */
export function scriptedStatus(
  behavior: ScriptedBehavior,
  { id, at }: { readonly id: string; readonly at: Date },
): ReadStatus {
  const isNotFound =
    behavior === "delists"
      ? isDelisted(id, at)
      : behavior === "comes_and_goes" && !isEvenMinute(at);
  return isNotFound ? "not_found" : (fixedStatuses.get(behavior) ?? "ok");
}

const steadyPrice = 99.99;

/** The regular price of every reserved item, on every platform. */
export const scriptedRegularPrice = 149.99;

/** Returns the price of a reserved item at a given time, in the marketplace currency. */
export const scriptedPrice = (behavior: ScriptedBehavior, at: Date): number =>
  behavior === "price_changes_every_read"
    ? (5_000 + (at.getTime() % priceCycleMs)) / 100
    : steadyPrice;

/** Returns true if a reserved item is in stock at a given time. */
export const scriptedInStock = (behavior: ScriptedBehavior, at: Date): boolean =>
  behavior !== "sold_out" && (behavior !== "stock_comes_and_goes" || isEvenMinute(at));
