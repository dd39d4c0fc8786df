/** What a process asks of a source's budget. */
export interface RateAsk {
  /** At least 1. */
  readonly permits: number;
  /** Above 0. */
  readonly perSecond: number;
  /** Calls that may start at one moment after a rest; at least 1. */
  readonly burst: number;
  /** Nothing is taken that could be used at this time at the earliest. */
  readonly until: Date;
}

/** Leave to call. */
export interface RateGrant {
  /**
   * When the first of the calls may start; each other one may start `1 / perSecond` seconds after
   * the one before it. Lies in the past where the burst lets several start at once.
   */
  readonly from: Date;
  /** How many; fewer than were asked for when the last ones would come too late. */
  readonly permits: number;
}

/**
 * The calls that a source allows, shared by everybody who calls it: in any time, no more than
 * `perSecond` for each of its seconds plus `burst` are let go. What was taken and is not used is lost.
 */
export interface RateBudget {
  take(source: string, ask: RateAsk, now: Date): Promise<RateGrant>;
}

/** A budget that only this process knows of. */
export function ownRateBudget(): RateBudget {
  /** When the next call of a source would start if there were no burst, in milliseconds. */
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

/** Milliseconds from one call to the next. */
export const gapMsOf = ({ perSecond }: Pick<RateAsk, "perSecond">): number => 1_000 / perSecond;

/** What is granted when `nextMs` is the moment that the burst is counted back from. */
export function grantFrom(nextMs: number, ask: RateAsk): RateGrant {
  const gapMs = gapMsOf(ask);
  const fromMs = nextMs - (ask.burst - 1) * gapMs;
  const inTime = Math.ceil((ask.until.getTime() - fromMs) / gapMs);
  return { from: new Date(fromMs), permits: Math.max(0, Math.min(ask.permits, inTime)) };
}
