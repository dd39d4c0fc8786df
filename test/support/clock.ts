import { createHash } from "node:crypto";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";

/**
 * Creates a clock that shows the time `at` (ISO 8601) until a test calls `set` or `advance`.
 * `sleep` resolves immediately and does not advance the clock.
 */
export function fixedClock(
  at: string,
): Clock & { set(to: string): void; advance(ms: number): void } {
  let now = new Date(at).getTime();
  return {
    now: () => new Date(now),
    sleep: async () => {},
    set: (to) => {
      now = new Date(to).getTime();
    },
    advance: (ms) => {
      now += ms;
    },
  };
}

/**
 * Creates a deterministic random source. The bytes of a draw, at most 64, depend only on the seed
 * and on the number of earlier draws. A longer draw throws an Error. `fraction` always returns 0.5.
 */
export function countingRandom(seed = 0): RandomSource {
  let drawn = 0;
  return {
    bytes(length) {
      drawn += 1;
      const digest = createHash("sha512").update(`${seed}/${drawn}`).digest();
      if (length > digest.length)
        throw new Error(`A draw has at most ${digest.length} bytes (got ${length})`);
      return Uint8Array.from(digest.subarray(0, length));
    },
    fraction: () => 0.5,
  };
}
