import type { Chance, Clock } from "../../shared/base/clock.ts";

/** A clock that stands still until it is moved; sleeping takes no time. */
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

/** Different bytes at every draw, the same in every run of a test. */
export function countingChance(): Chance {
  let drawn = 0;
  return {
    bytes: (length) =>
      Uint8Array.from({ length }, () => {
        drawn = (drawn * 1_103_515_245 + 12_345) % 2 ** 31;
        return (drawn >> 8) % 256;
      }),
    fraction: () => 0.5,
  };
}
