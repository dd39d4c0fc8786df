import type { Clock } from "../../base/clock.ts";
import type { Platform } from "../../platforms/catalogue.ts";
import { slowMilliseconds } from "../../scrapers/reserved-ids.ts";
import type { ReadStatus } from "../../scrapers/scraper.ts";
import { type Draw, stepOf } from "./draw.ts";
import { behaviourOf, scriptedStatus } from "./script.ts";

/** The share of IDs that do not exist. Fixed for each ID. */
const notFoundShare = 0.02;
/**
 * The shares of failed reads. DrawSeed again for each ID after `failureStepMs`, so that a retry can
 * succeed.
 */
const partialShare = 0.01;
const unavailableShare = 0.01;
const failureStepMs = 10 * 60 * 1_000;

/**
 * Returns the status of a read. Whether an item exists is the same for every kind of read; the
 * kinds fail independently.
 */
export function statusAt(
  { platform, kind }: { readonly platform: Platform; readonly kind: string },
  { id, at }: { readonly id: string; readonly at: Date },
  draw: Draw,
): ReadStatus {
  const behaviour = behaviourOf(platform, id);
  if (behaviour !== undefined) return scriptedStatus(behaviour, { id, at });
  if (draw("not found") < notFoundShare) return "not_found";
  const failed = draw(kind, stepOf(at, failureStepMs, 0));
  if (failed < unavailableShare) return "unavailable";
  return failed < unavailableShare + partialShare ? "partial" : "ok";
}

/** The time of a read, and the IDs that miss its deadline. */
export interface ReadTiming {
  readonly at: Date;
  readonly isLate: (id: string) => boolean;
}

/** Waits for the slow IDs of a read until its deadline at most. */
export async function readTiming(
  platform: Platform,
  { ids, deadline }: { readonly ids: readonly string[]; readonly deadline: Date },
  clock: Clock,
): Promise<ReadTiming> {
  const at = clock.now();
  const remainingMs = deadline.getTime() - at.getTime();
  const isSlow = (id: string): boolean => behaviourOf(platform, id) === "slow";
  if (remainingMs > 0 && ids.some(isSlow)) {
    await clock.sleep(Math.min(slowMilliseconds, remainingMs));
  }
  return {
    at,
    isLate: (id) => remainingMs <= 0 || (remainingMs < slowMilliseconds && isSlow(id)),
  };
}
