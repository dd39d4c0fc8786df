import { limits } from "./limits.ts";

const { settleMs } = limits.dependencies;

interface CallTime {
  /** Time at which the call started. */
  readonly startedAt: Date;
  readonly now: Date;
  /** Milliseconds from `now` until the function must start to send the response. */
  readonly msToAnswer: number;
}

/**
 * Returns the time at which a call must stop reading from sources. The call then has enough time to
 * settle its credits and to start the response before the gateway or Lambda ends it. The time is at
 * most `callDeadlineSeconds` after the start of the call.
 * @param msToAnswer milliseconds from `now` until the function must start to send the response
 */
export const readingEndsAt = ({ startedAt, now, msToAnswer }: CallTime): Date =>
  new Date(
    Math.min(
      now.getTime() + msToAnswer - settleMs,
      startedAt.getTime() + limits.callDeadlineSeconds * 1_000,
    ),
  );
