import type { Clock } from "../../../shared/base/clock.ts";
import { type Difference, differenceName } from "../rules/difference.ts";

export interface CheckResult {
  readonly differences: readonly Difference[];
  /** False if rows changed during the check, so that a part could not be compared. */
  readonly isSteady: boolean;
}

const pauseMs = 500;
const scannedEntriesMax = 8;

/**
 * Runs a check until two consecutive runs find the same differences, because the service keeps
 * writing. Runs it at most 8 times, with pauses of 0.5 s. Returns the last result, with only the
 * differences that the previous run also found.
 */
export async function confirmed<Found extends CheckResult>(
  look: () => Promise<Found>,
  { clock }: { readonly clock: Clock },
): Promise<Found> {
  let before = new Set<string>();
  for (let looks = 1; ; looks += 1) {
    const found = await look();
    const again = found.differences.filter((one) => before.has(differenceName(one)));
    const isSettled = found.isSteady && again.length === found.differences.length;
    if (isSettled || looks === scannedEntriesMax) return { ...found, differences: again };
    before = new Set(found.differences.map(differenceName));
    await clock.sleep(pauseMs);
  }
}
