import type { RandomSource } from "../base/clock.ts";
import type { Lease } from "./outbox.ts";

/** Duration of a lease: much longer than the longest attempt of 15 s with its writes. */
const leaseSeconds = 60;
const leaseTokenBytes = 12;
/** Maximum delay of an SQS message. For longer waits the sweeper sends the message. */
const messageDelaySecondsMax = 900;

/** Duration of a time slice. Then a new message continues, so that other targets are drained as well. */
export const sliceSecondsMax = 30;

/**
 * Targets of one account that are drained at the same time: with four parallel requests each, an
 * account has about 16 requests in flight. Simultaneous claims may exceed the limit by one or two.
 */
export const targetsAtOnceMax = 4;

export const leaseUntil = (now: Date): Date => new Date(now.getTime() + leaseSeconds * 1_000);

export const newLease = (now: Date, random: RandomSource): Lease => ({
  token: Buffer.from(random.bytes(leaseTokenBytes)).toString("hex"),
  until: leaseUntil(now),
});

/** Delay of a message that is to arrive at `dueAt`, in whole seconds; null if it exceeds the maximum. */
export function messageDelay(dueAt: Date, now: Date): number | null {
  const seconds = Math.max(0, Math.ceil((dueAt.getTime() - now.getTime()) / 1_000));
  return seconds <= messageDelaySecondsMax ? seconds : null;
}
