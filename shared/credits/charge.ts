/**
 * Prices are in quarter-credits. Their sum is rounded up to whole credits once per call or run
 * step.
 */
export const quartersPerCredit = 4;

/** Converts a price in quarters of a credit to whole credits, rounded up. */
export function creditsFor(quarters: number): number {
  return Math.ceil(quarters / quartersPerCredit);
}
