import { limits } from "./limits.ts";

const { answerSpareMs, settleMs } = limits.dependencies;

/**
 * Time that a call needs after its last read to settle its credits and send its response, in
 * milliseconds.
 */
export const afterReadingMs = settleMs + answerSpareMs;

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
