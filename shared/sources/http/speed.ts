/** How fast this process calls a source: as fast as it may, or slower while the source is busy. */
export interface Speed {
  perSecond(): number;
  isSlowed(): boolean;
  /** Notes an answer. Only tries that started after the last slowing down say anything new. */
  note(answer: { readonly isBusy: boolean; readonly startedAt: Date }, now: Date): void;
}

/** Answers looked back at. */
const lookBack = 20;
/** A source that is this seldom busy is at ease: its refusals are retried, and that is all. */
const busyShareMax = 0.1;
const goodOnesToSpeedUp = 50;
const speedUp = 1.1;
const slowDown = 0.5;
const slowestShare = 1 / 32;

/** Halves the speed when too many answers are "busy", and wins it back a tenth at a time. */
export function adaptiveSpeed(perSecondMax: number): Speed {
  let perSecond = perSecondMax;
  let slowedAt = -Infinity;
  let goodOnes = 0;
  let recent: boolean[] = [];
  const noteBusy = (now: Date): void => {
    goodOnes = 0;
    if (recent.filter(Boolean).length / recent.length <= busyShareMax) return;
    perSecond = Math.max(perSecond * slowDown, perSecondMax * slowestShare);
    slowedAt = now.getTime();
    recent = [];
  };
  const noteGood = (): void => {
    goodOnes += 1;
    if (goodOnes < goodOnesToSpeedUp) return;
    goodOnes = 0;
    perSecond = Math.min(perSecond * speedUp, perSecondMax);
  };
  return {
    perSecond: () => perSecond,
    isSlowed: () => perSecond < perSecondMax,
    note({ isBusy, startedAt }, now) {
      if (startedAt.getTime() < slowedAt) return;
      recent = [...recent.slice(1 - lookBack), isBusy];
      if (isBusy) noteBusy(now);
      else noteGood();
    },
  };
}
