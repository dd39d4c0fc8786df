/**
 * The time in which a process refuses the calls of a key without a request to the store, after the
 * key's row has refused a call. It ends with a random wait, so that many processes do not send a request
 * at the same moment. The wait grows with each refusal in a row, so that a flood costs few requests.
 */
export interface RefusalPause {
  readonly untilMs: number;
  /** The longest random wait that the next refusal adds, in milliseconds. */
  readonly waitMs: number;
}

const waitMsMin = 4;
const waitMsMax = 2_000;
const growth = 4;

export const noPause: RefusalPause = { untilMs: 0, waitMs: 0 };

/**
 * The pause after a refusal of a call at `nowMs`, if no call is possible before `fromMs`. Of several
 * calls that are refused while they are in flight together, only the first starts the pause.
 *
 * @param fraction random, in [0, 1)
 */
export function afterRefusal(
  pause: RefusalPause,
  { nowMs, fromMs, fraction }: { nowMs: number; fromMs: number; fraction: number },
): RefusalPause {
  if (nowMs < pause.untilMs) return pause;
  return {
    untilMs: Math.max(nowMs, fromMs) + fraction * pause.waitMs,
    waitMs: Math.min(waitMsMax, Math.max(waitMsMin, pause.waitMs * growth)),
  };
}

/** The pause after an admission, when no further call is possible before `fromMs`. */
export const afterAdmission = (
  { untilMs, waitMs }: RefusalPause,
  fromMs: number,
): RefusalPause => ({
  untilMs: Math.max(untilMs, fromMs),
  waitMs: waitMs / 2,
});
