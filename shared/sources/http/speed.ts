/**
 * The rate at which this process calls a source: the full one, or less while the source is busy.
 */
export interface Speed {
  perSecond(now: Date): number;
  /** Records an answer. Ignores tries that started before the last reduction. */
  note(answer: { readonly isBusy: boolean; readonly startedAt: Date }, now: Date): void;
}

/** The number of recent answers that are considered. */
const lookBack = 20;
/** Up to this share of busy answers, they are only retried. */
const busyShareMax = 0.1;
/** The number of answers at a reduced rate before it is reduced again. */
const answersToJudge = 5;
const slowDown = 0.5;
const slowestShare = 1 / 32;
/** The recovery, as a share of the full rate, for each `regainMs` without a busy answer. */
const regainedShare = 0.1;
const regainMs = 5_000;

/**
 * Creates a rate that is halved when too many answers are busy, and recovers with time. Recovery
 * does not depend on the number of calls; from the lowest rate it takes less than a minute.
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
    // Keeps the recovered rate and starts the recovery from there.
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
