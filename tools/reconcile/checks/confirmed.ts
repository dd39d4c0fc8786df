import type { Clock } from "../../../shared/base/clock.ts";
import { type Difference, differenceName } from "../rules/difference.ts";

export interface Looked {
  readonly differences: readonly Difference[];
  /** False when what was looked at moved meanwhile, so that part of it could not be compared. */
  readonly isSteady: boolean;
}

const pauseMs = 500;
const scannedEntriesMax = 8;

/**
 * Looks again before it says that anything differs: the service goes on meanwhile, and what is half
 * way there is no difference. Gives those that were there in the look before, as they are now.
 */
export async function confirmed<Found extends Looked>(
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
