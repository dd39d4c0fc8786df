import type { Clock } from "../../base/clock.ts";

/** Keeps the time between calls that a site's robots.txt asks for, within this process. */
export interface CrawlGap {
  /** Resolves to true when a call may start, or at once to false when that would be too late. */
  turn(gapMs: number, deadline: Date): Promise<boolean>;
}

export function crawlGap(clock: Clock): CrawlGap {
  let lastAt = -Infinity;
  return {
    async turn(gapMs, deadline) {
      const now = clock.now().getTime();
      if (now >= deadline.getTime()) return false;
      const startAt = Math.max(now, lastAt + gapMs);
      if (startAt >= deadline.getTime()) return false;
      lastAt = startAt;
      if (startAt > now) await clock.sleep(startAt - now);
      return true;
    },
  };
}
