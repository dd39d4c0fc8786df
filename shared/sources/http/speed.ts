/**
 * The rate at which this process calls a source: the full rate, or a lower one while the source is
 * busy.
 */
export interface Speed {
  perSecond(now: Date): number;
  /**
   * Records whether the source was busy (429 or 503) in response to a try. Ignores tries that
   * started before the last reduction of the rate.
   */
  note(answer: { readonly isBusy: boolean; readonly startedAt: Date }, now: Date): void;
}

/** Number of recent responses from which the share of busy responses is calculated. */
const lookBack = 20;
/**
 * The rate is reduced only if more than this share of the recent responses is busy (429 or 503).
 */
const busyShareMax = 0.1;
/** The minimum number of responses at a reduced rate before the rate is reduced again. */
const answersToJudge = 5;
const slowDown = 0.5;
const slowestShare = 1 / 32;
/** The share of the full rate that is restored after each `regainMs` since the last reduction. */
const regainedShare = 0.1;
const regainMs = 5_000;

/**
 * Creates the adaptive rate of calls to a source, which starts at `perSecondMax` calls per second.
 * The rate halves when more than 10% of the last 20 responses were busy (status 429 or 503), down
 * to 1/32 of `perSecondMax`. The rate recovers with time, not with the number of calls: from the
 * lowest to the full rate in less than a minute.
 */
export function adaptiveSpeed(perSecondMax: number): Speed {
  let slowed: { readonly perSecond: number; readonly at: Date } | undefined;
  let recent: boolean[] = [];
  let judgedFrom = 1;
  let slowedAt = -Infinity;
  const perSecond = (now: Date): number => {
    if (slowed === undefined) return perSecondMax;
    const steps = Math.floor((now.getTime() - slowed.at.getTime()) / regainMs);
    return Math.min(perSecondMax, slowed.perSecond + steps * regainedShare * perSecondMax);
  };
  const noteBusy = (now: Date): void => {
    const current = perSecond(now);
    // Stores the rate that has been restored until now, so that the recovery continues from this
    // rate.
    if (current < perSecondMax) slowed = { perSecond: current, at: now };
    const isRarelyBusy = recent.filter(Boolean).length / recent.length <= busyShareMax;
    if (isRarelyBusy || recent.length < judgedFrom) return;
    slowed = { perSecond: Math.max(current * slowDown, perSecondMax * slowestShare), at: now };
    slowedAt = now.getTime();
    recent = [];
    judgedFrom = answersToJudge;
  };
  return {
    perSecond,
    note({ isBusy, startedAt }, now) {
      if (startedAt.getTime() < slowedAt) return;
      recent = [...recent.slice(1 - lookBack), isBusy];
      if (isBusy) noteBusy(now);
    },
  };
}
