import { setImmediate as flushed } from "node:timers/promises";
import TinyQueue from "tinyqueue";
import type { Clock } from "../../../shared/base/clock.ts";

interface Timer {
  readonly at: number;
  /** Order of creation: timers of the same instant fire in it. */
  readonly number: number;
  readonly fire: () => void;
}

/**
 * A clock that moves only when all work waits for it, so that a minute of load takes as long as the
 * processor needs for it, and not longer.
 */
export interface VirtualTime {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Waits for real input or output, during which virtual time stands still. */
  still<T>(work: () => Promise<T>): Promise<T>;
  /** Moves time on until `work` has ended. @throws what `work` throws */
  through<T>(work: Promise<T>): Promise<T>;
}

export function virtualTime(start: Date): VirtualTime {
  let now = start.getTime();
  let timers = 0;
  let inFlight = 0;
  let onAnswer: (() => void) | undefined;
  const queue = new TinyQueue<Timer>([], (a, b) => a.at - b.at || a.number - b.number);
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      timers += 1;
      queue.push({ at: now + Math.max(0, milliseconds), number: timers, fire: resolve });
    });
  return {
    clock: { now: () => new Date(now), sleep },
    now: () => now,
    sleep,
    async still(work) {
      inFlight += 1;
      try {
        return await work();
      } finally {
        inFlight -= 1;
        onAnswer?.();
      }
    },
    async through(work) {
      let ended = false;
      const noted = work.finally(() => {
        ended = true;
      });
      // The loop below reports the failure by awaiting `noted` at its end.
      noted.catch(() => undefined);
      for (;;) {
        await flushed();
        if (ended) return noted;
        if (inFlight > 0) {
          await new Promise<void>((resolve) => {
            onAnswer = resolve;
          });
          continue;
        }
        const timer = queue.pop();
        if (timer === undefined) throw new Error("Work waits for something other than time");
        now = timer.at;
        timer.fire();
      }
    },
  };
}
