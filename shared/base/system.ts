import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RandomSource, Clock } from "./clock.ts";

/** The system clock. No other code in `shared` reads the time. */
export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (milliseconds) => {
    await delay(milliseconds);
  },
};

/** The system's random source. No other code in `shared` creates random values. */
export const systemRandom: RandomSource = {
  bytes: (length) => randomBytes(length),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
