import { healthItemsMin, type HealthStatus, healthStatusOf } from "../platforms/health-status.ts";
import { addCounts, type HealthCounts, latencyBoundsMs, type Quota } from "./health-counts.ts";
import { type HealthPeriod, periodMs } from "./health-store.ts";

/** Lengths of the time spans over which health is calculated, in milliseconds. */
export const windowMs = { lastHour: 60 * 60_000, lastDay: 24 * 60 * 60_000 } as const;

/** Levels of a quota, by the part that is left. `low`: at most a tenth. */
export const quotaLevels = ["ample", "low", "exhausted"] as const;
export type QuotaLevel = (typeof quotaLevels)[number];
const lowShare = 0.1;

/** For each status, its share (0 to 1) of the items that were read in a time span. */
interface StatusShares {
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
}

/** The health of a source in a time span. */
export interface WindowHealth {
  /** The shares of the statuses; null if too few items were read. */
  readonly shares: StatusShares | null;
  /**
   * Upper bounds of the median and of the 95th percentile of the durations of calls, in
   * milliseconds; null if there were no calls.
   */
  readonly latencyMs: { readonly median: number; readonly p95: number } | null;
  /**
   * Mean age, in milliseconds, of the `ok` items when the source returned them; null if there were
   * none.
   */
  readonly ageMs: number | null;
}

/**
 * Adds up the health counts of the periods that end later than `lengthMs` milliseconds before
 * `now`, including the current period. Returns null if there are no such periods.
 */
export function countsWithin(
  periods: readonly HealthPeriod[],
  now: Date,
  lengthMs: number,
): HealthCounts | null {
  const from = now.getTime() - lengthMs;
  const counts = periods
    .filter(({ startsAt }) => Date.parse(startsAt) + periodMs > from)
    .map((period) => period.counts);
  const [first, ...others] = counts;
  return first === undefined ? null : others.reduce(addCounts, first);
}

/**
 * Calculates the health of a source from the counts of a time span: the shares of the statuses, the
 * latency and the age of the data. Pass null for a time span without reads: all parts of the result
 * are then null.
 */
export function windowHealth(counts: HealthCounts | null): WindowHealth {
  if (counts === null) return { shares: null, latencyMs: null, ageMs: null };
  const { ok, partial, notFound, unavailable, ageMs, latencies } = counts;
  const items = ok + partial + notFound + unavailable;
  const median = quantile(latencies, 0.5);
  const p95 = quantile(latencies, 0.95);
  return {
    shares:
      items < healthItemsMin
        ? null
        : {
            ok: ok / items,
            partial: partial / items,
            notFound: notFound / items,
            unavailable: unavailable / items,
          },
    latencyMs: median === null || p95 === null ? null : { median, p95 },
    ageMs: ok === 0 ? null : ageMs / ok,
  };
}

/**
 * Returns the upper bound, in milliseconds, of the range that contains the quantile `share` (0 to
 * 1) of the durations; null if there were no calls.
 */
function quantile(latencies: readonly number[], share: number): number | null {
  const calls = latencies.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  let passed = 0;
  const range = latencies.findIndex((count) => {
    passed += count;
    return passed >= share * calls;
  });
  return latencyBoundsMs[range] ?? null;
}

/**
 * Returns the share (0 to 1) of items with a complete answer; null if too few items were read.
 * `not_found` counts as complete, because the source has reported that the item does not exist.
 */
export const successShare = ({ shares }: WindowHealth): number | null =>
  shares === null ? null : shares.ok + shares.notFound;

/** Returns the health status of a scraper for API responses, from its health in the last hour. */
export const healthStatus = (lastHour: WindowHealth): HealthStatus =>
  healthStatusOf(successShare(lastHour));

/**
 * Returns how much of a source's quota is left: `exhausted` if nothing is left, `low` for at most a
 * tenth of the maximum, otherwise `ample`. Returns null if the source reports no quota.
 */
export function quotaLevel(quota: Quota | undefined): QuotaLevel | null {
  if (quota === undefined) return null;
  if (quota.left <= 0) return "exhausted";
  return quota.left <= lowShare * quota.max ? "low" : "ample";
}
