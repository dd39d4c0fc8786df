/**
 * A pause during which a process refuses the calls of a key and sends no request to the store. It
 * starts when the key's row refuses a call. It ends with a random wait, so that the processes do
 * not all send a request at the same moment. The wait grows with each consecutive refusal, so that
 * a flood of calls costs few requests.
 */
export interface RefusalPause {
  /** End of the pause, in milliseconds since 1970. */
  readonly untilMs: number;
  /** Upper limit of the random wait after the next refusal, in milliseconds. */
  readonly waitMs: number;
}

const waitMsMin = 4;
const waitMsMax = 2_000;
/** Factor by which the maximum wait grows with each consecutive refusal. */
const growth = 4;

/** The pause of a key that was never refused: it has ended. */
export const noPause: RefusalPause = { untilMs: 0, waitMs: 0 };

/**
 * Returns the next pause after the store refused a call at `nowMs`. The pause ends after a random
 * wait of at most `pause.waitMs`, which begins at the later of `nowMs` and `fromMs`. After each
 * refusal, the maximum wait grows, up to `waitMsMax`. Returns `pause` unchanged while it lasts, so
 * that only the first of several concurrent refusals starts a pause.
 * @param fromMs time before which the store admits no call of the key, in milliseconds since 1970
 * @param fraction random number in [0, 1) by which the maximum wait is multiplied
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

/**
 * Returns the pause of a key after the store admitted a call. The pause lasts at least until
 * `fromMs`. The maximum random wait after the next refusal is halved.
 * @param fromMs time before which the store admits no further call of the key, in milliseconds
 * since 1970
 */
export const afterAdmission = (
  { untilMs, waitMs }: RefusalPause,
  fromMs: number,
): RefusalPause => ({
  untilMs: Math.max(untilMs, fromMs),
  waitMs: waitMs / 2,
});
