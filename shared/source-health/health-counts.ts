/**
 * Upper bounds, in milliseconds, of the ranges in which the durations of calls are counted. A
 * longer call counts in the last range. Add new bounds only at the end, because rows store the
 * counts by position.
 */
export const latencyBoundsMs = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 300_000];

/** The quota that a source last reported, such as the tokens of a key. */
export interface Quota {
  /** The part of the quota that is left; 0 or negative if it is used up. */
  readonly left: number;
  /** The highest value that `left` can have. */
  readonly max: number;
}

/** The counts of a scraper's reads, in one process or in one period. */
export interface HealthCounts {
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  /** Sum of the ages, in milliseconds, of the `ok` items when the source returned them. */
  readonly ageMs: number;
  /** Number of calls by the range of their duration, in the order of `latencyBoundsMs`. */
  readonly latencies: readonly number[];
  /** The newest quota; absent if the source reported none. */
  readonly quota?: Quota;
  /** Time at which the last of the counted reads ended, ISO 8601. */
  readonly lastReadAt: string;
}

/** The parts of an answer on which the health of a source depends. */
interface HealthAnswer {
  readonly status: "ok" | "partial" | "not_found" | "unavailable";
  /** Time at which the source read the item (ISO 8601). */
  readonly fetchedAt: string;
}

/** One read of a scraper. */
interface FinishedRead {
  readonly answers: readonly HealthAnswer[];
  /** The durations of the read's calls to the source, in milliseconds. */
  readonly callMs: readonly number[];
  readonly quota: Quota | null;
  readonly endedAt: Date;
}

/**
 * Returns the health counts of one read of a source: the number of items by status, and the number
 * of calls by duration.
 */
export function countRead({ answers, callMs, quota, endedAt }: FinishedRead): HealthCounts {
  const counts = { ok: 0, partial: 0, notFound: 0, unavailable: 0, ageMs: 0 };
  for (const { status, fetchedAt } of answers) {
    counts[status === "not_found" ? "notFound" : status] += 1;
    if (status !== "ok") continue;
    // The clock of a source can be ahead of the clock of the service, so the age is at least 0.
    counts.ageMs += Math.max(0, endedAt.getTime() - Date.parse(fetchedAt));
  }
  const latencies = latencyBoundsMs.map(() => 0);
  for (const milliseconds of callMs) {
    const range = latencyBoundsMs.findIndex((bound) => milliseconds <= bound);
    const position = range === -1 ? latencies.length - 1 : range;
    latencies[position] = (latencies[position] ?? 0) + 1;
  }
  return {
    ...counts,
    latencies,
    ...(quota !== null && { quota }),
    lastReadAt: endedAt.toISOString(),
  };
}

/**
 * Adds the health counts of two periods of one source. The sum has the quota that was reported
 * last.
 */
export function addCounts(one: HealthCounts, other: HealthCounts): HealthCounts {
  const [earlier, later] = one.lastReadAt <= other.lastReadAt ? [one, other] : [other, one];
  const quota = later.quota ?? earlier.quota;
  return {
    ok: one.ok + other.ok,
    partial: one.partial + other.partial,
    notFound: one.notFound + other.notFound,
    unavailable: one.unavailable + other.unavailable,
    ageMs: one.ageMs + other.ageMs,
    latencies: latencyBoundsMs.map((_, n) => (one.latencies[n] ?? 0) + (other.latencies[n] ?? 0)),
    ...(quota !== undefined && { quota }),
    lastReadAt: later.lastReadAt,
  };
}
