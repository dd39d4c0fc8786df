import type { Clock } from "./clock.ts";

/** The result of a check: `ok`, or `failed` with the error. */
type CheckResult =
  | { readonly outcome: "ok" }
  | { readonly outcome: "failed"; readonly error: unknown };

/**
 * Returns the result of the latest check, or of a new check if there is no result yet or the result
 * is too old.
 */
export type CachedCheck = () => Promise<CheckResult>;

interface Options {
  /** Makes the check. Throws if the check fails. */
  readonly check: () => Promise<unknown>;
  /** Milliseconds, from the start of a check, for which its result is used. */
  readonly freshMs: number;
  readonly clock: Clock;
}

/**
 * Creates a cached check, which calls `check` at most once in `freshMs` milliseconds. A call within
 * this time returns the latest result. The cached check never rejects: if `check` fails, the result
 * contains the error.
 */
export function cachedCheck({ check, freshMs, clock }: Options): CachedCheck {
  let latest: { readonly startedAt: number; readonly result: Promise<CheckResult> } | undefined;
  return () => {
    const now = clock.now().getTime();
    if (latest === undefined || now - latest.startedAt >= freshMs) {
      latest = { startedAt: now, result: resultOf(check) };
    }
    return latest.result;
  };
}

/** Calls `check`, and converts its failure to a result. */
async function resultOf(check: () => Promise<unknown>): Promise<CheckResult> {
  try {
    await check();
    return { outcome: "ok" };
  } catch (error) {
    return { outcome: "failed", error };
  }
}
