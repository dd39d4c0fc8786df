import type { Clock } from "../../../shared/base/clock.ts";
import { type Difference, differenceName } from "../rules/difference.ts";

/** The result of one attempt of a check. */
export interface CheckResult {
  readonly differences: readonly Difference[];
  /** False if rows changed during the check, so that some data could not be compared. */
  readonly isSteady: boolean;
}

const pauseMs = 500;
const checksMax = 8;

/**
 * Repeats a check until its differences are confirmed, because the service keeps writing. A
 * difference is confirmed if two successive results contain it. Ends when no row changed during the
 * check, and all differences of the result are confirmed. Without differences, the first attempt
 * can be the last. Makes at most 8 attempts, with pauses of 0.5 s. Returns the last result, with
 * only its confirmed differences.
 */
export async function confirm<Result extends CheckResult>(
  check: () => Promise<Result>,
  { clock }: { readonly clock: Clock },
): Promise<Result> {
  let before = new Set<string>();
  for (let checks = 1; ; checks += 1) {
    const result = await check();
    const again = result.differences.filter((one) => before.has(differenceName(one)));
    const isSettled = result.isSteady && again.length === result.differences.length;
    if (isSettled || checks === checksMax) return { ...result, differences: again };
    before = new Set(result.differences.map(differenceName));
    await clock.sleep(pauseMs);
  }
}
