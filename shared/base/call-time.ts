import { limits } from "./limits.ts";

const { settleMs } = limits.dependencies;

interface CallTime {
  readonly startedAt: Date;
  readonly now: Date;
  /** Milliseconds from `now` until the function must start to send the response. */
  readonly msToAnswer: number;
}

/**
 * The time at which a call must stop reading, so that it can settle its credits and send the
 * response before the gateway or Lambda ends it. At most `callDeadlineSeconds` after the start.
 */
export const readingEndsAt = ({ startedAt, now, msToAnswer }: CallTime): Date =>
  new Date(
    Math.min(
      now.getTime() + msToAnswer - settleMs,
      startedAt.getTime() + limits.callDeadlineSeconds * 1_000,
    ),
  );
