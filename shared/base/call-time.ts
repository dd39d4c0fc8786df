import { limits } from "./limits.ts";

const { answerSpareMs, settleMs } = limits.dependencies;

/** Time that a call needs after its last read to settle its credits and send its answer, in milliseconds. */
export const afterReadingMs = settleMs + answerSpareMs;

interface CallTime {
  readonly startedAt: Date;
  readonly now: Date;
  /** From now until the answer can no longer be sent; excludes the time that sending takes. */
  readonly msToAnswer: number;
}

/**
 * When a call must stop reading, so that the ledger can settle its credits and the answer can be sent
 * before the gateway or Lambda ends the call.
 */
export const readingEndsAt = ({ startedAt, now, msToAnswer }: CallTime): Date =>
  new Date(
    Math.min(
      now.getTime() + msToAnswer - settleMs,
      startedAt.getTime() + limits.callDeadlineSeconds * 1_000,
    ),
  );
