/** A request for permits to call a source. */
export interface RateAsk {
  /** The number of permits requested; at least 1. */
  readonly permits: number;
  /** The source's rate in calls per second; greater than 0. */
  readonly perSecond: number;
  /** The number of calls that may start at the same time after a pause; at least 1. */
  readonly burst: number;
  /** Only permits for calls that start before this time are granted. */
  readonly until: Date;
}

/** Granted permits to call a source. */
export interface RateGrant {
  /**
   * The start time of the first call. Each further call may start `1 / perSecond` seconds after the
   * previous call. If these times are in the past, the calls may start at once, within the burst.
   */
  readonly from: Date;
  /**
   * Number of granted permits, possibly 0. It is lower than requested if the last calls would start
   * too late.
   */
  readonly permits: number;
}

/**
 * The rate budget of each source, which all of its callers share. In any period, a budget grants at
 * most `perSecond` permits for each second, plus `burst`. Unused permits are lost.
 */
export interface RateBudget {
  /** Takes permits from the budget of the source with the name `source`. */
  take(source: string, ask: RateAsk, now: Date): Promise<RateGrant>;
}

/** Creates a rate budget for this process only, in memory. */
export function localRateBudget(): RateBudget {
  /**
   * For each source, the time at which its next call would start if there were no burst, in
   * milliseconds since 1970.
   */
  const nextOf = new Map<string, number>();
  return {
    take(source, ask, now) {
      const next = Math.max(nextOf.get(source) ?? 0, now.getTime());
      const grant = grantFrom(next, ask);
      if (grant.permits > 0) nextOf.set(source, next + grant.permits * gapMsOf(ask));
      return Promise.resolve(grant);
    },
  };
}

/**
 * Returns the time between the starts of two successive calls, in milliseconds, at the rate that a
 * request for permits states.
 */
export const gapMsOf = ({ perSecond }: Pick<RateAsk, "perSecond">): number => 1_000 / perSecond;

/**
 * Calculates the grant for a request for permits: the number of calls that may start, and when the
 * first of them may start. Grants no permits if the first call would start at `until` or later.
 * @param nextMs when the next call would start if `burst` were 1, in milliseconds since 1970; with
 * a larger `burst`, up to `burst - 1` calls may start before this time
 */
export function grantFrom(nextMs: number, ask: RateAsk): RateGrant {
  const gapMs = gapMsOf(ask);
  const fromMs = nextMs - (ask.burst - 1) * gapMs;
  const inTime = Math.ceil((ask.until.getTime() - fromMs) / gapMs);
  return { from: new Date(fromMs), permits: Math.max(0, Math.min(ask.permits, inTime)) };
}
