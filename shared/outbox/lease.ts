import type { Chance } from "../base/clock.ts";
import type { Lease } from "./outbox.ts";

/** Longer than the longest attempt, its 15 s and the writes around it, by a wide margin. */
const leaseSeconds = 60;
const leaseTokenBytes = 12;
/** The longest delay of a queue message; longer waits are left to the sweeper. */
const messageDelaySecondsMax = 900;

/** How long one message may keep working before the rest is handed to a new one: others wait. */
export const sliceSecondsMax = 30;

/**
 * Targets of one account that are worked off at once: with four exchanges each, an account has about
 * 16 under way. Where many claim at the same instant, one or two more may slip in.
 */
export const targetsAtOnceMax = 4;

export const leaseUntil = (now: Date): Date => new Date(now.getTime() + leaseSeconds * 1_000);

export const newLease = (now: Date, chance: Chance): Lease => ({
  token: Buffer.from(chance.bytes(leaseTokenBytes)).toString("hex"),
  until: leaseUntil(now),
});

/** Whole seconds until `dueAt` as a message can wait them, or null when it cannot wait so long. */
export function messageDelay(dueAt: Date, now: Date): number | null {
  const seconds = Math.max(0, Math.ceil((dueAt.getTime() - now.getTime()) / 1_000));
  return seconds <= messageDelaySecondsMax ? seconds : null;
}
