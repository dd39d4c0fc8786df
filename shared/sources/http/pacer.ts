import type { Clock } from "../../base/clock.ts";

/** Spaces out calls to one source within this process. */
export interface Pacer {
  /** Resolves to true when a call may start, or at once to false when that would be too late. */
  turn(deadline: Date): Promise<boolean>;
}

/** Lets calls start evenly, at most `callsPerSecond` of them in a second. */
export function evenPacer(callsPerSecond: number, clock: Clock): Pacer {
  const gapMs = 1_000 / callsPerSecond;
  let nextAt = 0;
  return {
    async turn(deadline) {
      const now = clock.now().getTime();
      const startAt = Math.max(now, nextAt);
      if (startAt >= deadline.getTime()) return false;
      nextAt = startAt + gapMs;
      if (startAt > now) await clock.sleep(startAt - now);
      return true;
    },
  };
}
