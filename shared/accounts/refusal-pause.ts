/**
 * The time in which a process refuses the calls of a key without a request, after the key's row has
 * refused one. A random wait after it keeps many processes from sending a request at the same moment:
 * it grows with each refusal in a row, so that a flood of calls costs few requests.
 */
export interface RefusalPause {
  readonly untilMs: number;
  /** The next refusal adds a random wait of up to so many milliseconds. */
  readonly waitMs: number;
}

const waitMsMin = 4;
const waitMsMax = 2_000;
const growth = 4;

export const noPause: RefusalPause = { untilMs: 0, waitMs: 0 };

/**
 * The pause after a refusal of a call at `nowMs`, when no call is possible before `fromMs`. Calls that
 * were under way together are refused together: the first of them begins the pause for all.
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
