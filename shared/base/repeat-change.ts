import { unavailable } from "./errors.ts";

/**
 * The outcome of an attempt to change a row. `lost` means that a concurrent change took effect
 * first, so that the attempt changed nothing.
 */
export type ChangeAttempt<Result> =
  | { readonly outcome: "done"; readonly result: Result }
  | { readonly outcome: "lost" };

/**
 * The outcome of an attempt that changed nothing, because a concurrent change took effect first.
 */
export const lost = { outcome: "lost" } as const;

/**
 * Returns the outcome of an attempt that applied its change, or that had nothing to change.
 * `repeatChange` then makes no further attempt, and returns `result`.
 */
export const endAttempt = <Result>(result: Result): ChangeAttempt<Result> => ({
  outcome: "done",
  result,
});

export interface ChangeRepeats {
  /** Maximum number of attempts. */
  readonly triesMax: number;
  /** Creates the error to throw if the last attempt is lost too. */
  readonly exhausted: () => Error;
  /**
   * Waits before the next attempt. Returns false if no time is left.
   * @default repeats immediately
   */
  readonly mayRepeat?: () => Promise<boolean>;
}

/**
 * Calls `attempt`, a conditional change, until the change is applied or there is nothing to change.
 * Returns the result of that last attempt. An attempt is lost if another request changed the same
 * data first.
 * @param exhausted creates the error after `triesMax` lost attempts
 * @param mayRepeat pauses before a repetition, and returns false if no time is left for it; not
 * called after the last attempt
 * @throws the error of `exhausted`; 503 UNAVAILABLE if no time is left
 */
export async function repeatChange<Result>(
  attempt: () => Promise<ChangeAttempt<Result>>,
  { triesMax, exhausted, mayRepeat = () => Promise.resolve(true) }: ChangeRepeats,
): Promise<Result> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const lastAttempt = await attempt();
    if (lastAttempt.outcome === "done") return lastAttempt.result;
    const isLast = tries === triesMax - 1;
    if (!isLast && !(await mayRepeat())) throw unavailable();
  }
  throw exhausted();
}
