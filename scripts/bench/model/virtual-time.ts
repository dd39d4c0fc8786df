import { setImmediate as flushed } from "node:timers/promises";
import TinyQueue from "tinyqueue";
import type { Clock } from "../../../shared/base/clock.ts";

interface Timer {
  readonly at: number;
  /**
   * The position of the timer in the order of creation. Timers of the same time fire in this order.
   */
  readonly number: number;
  readonly fire: () => void;
}

/**
 * A clock that advances only while all simulated work is waiting. Simulating a minute of load
 * therefore takes only the time of its computations.
 */
export interface VirtualTime {
  readonly clock: Clock;
  /** Returns the virtual time in milliseconds since 1970. */
  now(): number;
  /** Resolves when virtual time has advanced by `milliseconds`. */
  sleep(milliseconds: number): Promise<void>;
  /** Runs real input or output. Virtual time does not advance until the work has ended. */
  still<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Advances virtual time until `work` has ended.
   * @throws the error of `work`, or Error if `work` waits for something other than `sleep` or
   * `still`
   */
  through<T>(work: Promise<T>): Promise<T>;
}

/**
 * Creates a virtual clock that begins at `start`. Only `through` advances the time: it jumps from
 * one pending timer to the next.
 */
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
      // The loop below awaits `noted` at its end, which reports the failure.
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
        if (timer === undefined)
          throw new Error(
            "The work has not ended, but no timer of the virtual clock is pending. Make everything that the work waits for use this clock.",
          );
        now = timer.at;
        timer.fire();
      }
    },
  };
}
