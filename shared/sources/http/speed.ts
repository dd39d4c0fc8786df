/** How fast this process calls a source: as fast as it may, or slower while the source is busy. */
export interface Speed {
  perSecond(now: Date): number;
  /** Notes an answer. Only tries that started after the last slowing down say anything new. */
  note(answer: { readonly isBusy: boolean; readonly startedAt: Date }, now: Date): void;
}

/** Answers looked back at. */
const lookBack = 20;
/** A source that is this seldom busy is at ease: its refusals are retried, and that is all. */
const busyShareMax = 0.1;
/** Answers at the new speed that are heard before it is halved again. */
const answersToJudge = 5;
const slowDown = 0.5;
const slowestShare = 1 / 32;
/** What is won back, as a share of the full speed, for each such time without a busy answer. */
const regainedShare = 0.1;
const regainMs = 5_000;

/**
 * Halves the speed when too many answers are "busy", and wins it back by time, so that a source that
 * is seldom asked gets it back as soon as one that is asked often: from its lowest within a minute.
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
    // What was won back stays; winning back more begins anew.
    if (current < perSecondMax) slowed = { perSecond: current, at: now };
    const isAtEase = recent.filter(Boolean).length / recent.length <= busyShareMax;
    if (isAtEase || recent.length < judgedFrom) return;
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
