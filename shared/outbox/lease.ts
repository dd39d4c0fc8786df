import type { RandomSource } from "../base/clock.ts";
import type { Lease } from "./outbox.ts";

/**
 * Duration of a lease. It is much longer than one attempt and its writes; an attempt takes at most
 * 15 s.
 */
const leaseSeconds = 60;
const leaseTokenBytes = 12;
/**
 * Maximum delay of an SQS message. If a target is due later, the sweeper sends its wake-up message.
 */
const messageDelaySecondsMax = 900;

/**
 * Maximum time for which a worker drains one target, in seconds. A new wake-up message then
 * continues the drain, so that other targets get time too.
 */
export const sliceSecondsMax = 30;

/**
 * Maximum number of targets of one account that are drained at the same time. With four parallel
 * requests for each target, an account has about 16 requests in flight. An account can exceed this
 * maximum for a short time, because a worker does not count a claim that DynamoDB stores after the
 * worker has checked the limit.
 */
export const targetsAtOnceMax = 4;

/** Returns the end of a lease that starts or is extended at `now`. */
export const leaseUntil = (now: Date): Date => new Date(now.getTime() + leaseSeconds * 1_000);

/** Creates a lease with a random token. */
export const newLease = (now: Date, random: RandomSource): Lease => ({
  token: Buffer.from(random.bytes(leaseTokenBytes)).toString("hex"),
  until: leaseUntil(now),
});

/**
 * Returns the delay of a queue message that must arrive at `dueAt`, in seconds, rounded up. Returns
 * 0 for a past time, and null if the delay exceeds the maximum of 900 s.
 */
export function messageDelay(dueAt: Date, now: Date): number | null {
  const seconds = Math.max(0, Math.ceil((dueAt.getTime() - now.getTime()) / 1_000));
  return seconds <= messageDelaySecondsMax ? seconds : null;
}
