/** A request for permits of a source's rate budget. */
export interface RateAsk {
  /** At least 1. */
  readonly permits: number;
  /** Above 0. */
  readonly perSecond: number;
  /** Calls that may start at once after a pause; at least 1. */
  readonly burst: number;
  /** Permits are only taken if they start before this time. */
  readonly until: Date;
}

/** Permits to call. */
export interface RateGrant {
  /**
   * The start time of the first call. Each further call may start `1 / perSecond` seconds after the
   * previous one. In the past if the burst allows several calls at once.
   */
  readonly from: Date;
  /** The number of permits. Less than requested if the last ones would start too late. */
  readonly permits: number;
}

/**
 * The calls that a source allows, shared by all its callers. In any period, at most `perSecond` for
 * each second plus `burst` are granted. Unused permits are lost.
 */
export interface RateBudget {
  take(source: string, ask: RateAsk, now: Date): Promise<RateGrant>;
}

/** Creates a budget of this process only. */
export function ownRateBudget(): RateBudget {
  /** The start time of the next call of a source without a burst, in milliseconds. */
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

/** Returns the milliseconds from one call to the next. */
export const gapMsOf = ({ perSecond }: Pick<RateAsk, "perSecond">): number => 1_000 / perSecond;

/** Returns the grant for a next start time of `nextMs`, moved back by the burst. */
export function grantFrom(nextMs: number, ask: RateAsk): RateGrant {
  const gapMs = gapMsOf(ask);
  const fromMs = nextMs - (ask.burst - 1) * gapMs;
  const inTime = Math.ceil((ask.until.getTime() - fromMs) / gapMs);
  return { from: new Date(fromMs), permits: Math.max(0, Math.min(ask.permits, inTime)) };
}
