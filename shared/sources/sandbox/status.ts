import type { Clock } from "../../base/clock.ts";
import type { Platform } from "../../platforms/catalog.ts";
import { slowMilliseconds } from "../../scrapers/reserved-ids.ts";
import type { ReadStatus } from "../../scrapers/scraper.ts";
import { type Draw, periodOf } from "./draw.ts";
import { behaviorOf, scriptedStatus } from "./script.ts";

/** The share of IDs that never exist. */
const notFoundShare = 0.02;
/**
 * The shares of all reads that return `partial` and `unavailable`. The random number of an ID
 * changes every `failurePeriodMs`, so a later read can succeed.
 */
const partialShare = 0.01;
const unavailableShare = 0.01;
const failurePeriodMs = 10 * 60 * 1_000;

/**
 * Returns the status of a simulated read of the item `id` at the time `at`. An item exists for all
 * scrapers or for none, but the reads of different scrapers fail independently.
 * @param kind the scraper that reads
 * @param draw the pseudorandom function of the item
 */
export function statusAt(
  { platform, kind }: { readonly platform: Platform; readonly kind: string },
  { id, at }: { readonly id: string; readonly at: Date },
  draw: Draw,
): ReadStatus {
  const behavior = behaviorOf(platform, id);
  if (behavior !== undefined) return scriptedStatus(behavior, { id, at });
  if (draw("not found") < notFoundShare) return "not_found";
  const failed = draw(kind, periodOf(at, failurePeriodMs, 0));
  if (failed < unavailableShare) return "unavailable";
  return failed < unavailableShare + partialShare ? "partial" : "ok";
}

/** The start time of a read, and a function that returns true for IDs that miss its deadline. */
export interface ReadTiming {
  readonly at: Date;
  readonly isLate: (id: string) => boolean;
}

/**
 * Simulates the duration of a read. If one of the IDs has the behavior `slow`, waits
 * `slowMilliseconds`, but not beyond the deadline. Returns the time before the wait, and a function
 * `isLate` that returns true if an ID could not be read in time: a slow ID if less than
 * `slowMilliseconds` were left, every ID if the deadline had already passed.
 */
export async function readTiming(
  platform: Platform,
  { ids, deadline }: { readonly ids: readonly string[]; readonly deadline: Date },
  clock: Clock,
): Promise<ReadTiming> {
  const at = clock.now();
  const remainingMs = deadline.getTime() - at.getTime();
  const isSlow = (id: string): boolean => behaviorOf(platform, id) === "slow";
  if (remainingMs > 0 && ids.some(isSlow)) {
    await clock.sleep(Math.min(slowMilliseconds, remainingMs));
  }
  return {
    at,
    isLate: (id) => remainingMs <= 0 || (remainingMs < slowMilliseconds && isSlow(id)),
  };
}
