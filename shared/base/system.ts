import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Chance, Clock } from "./clock.ts";

/** The real clock: the only place in `shared` that reads the machine's time. */
export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (milliseconds) => {
    await delay(milliseconds);
  },
};

/** Real randomness: the only place in `shared` that draws it. */
export const systemChance: Chance = {
  bytes: (length) => randomBytes(length),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
