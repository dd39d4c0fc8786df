/** Rates are kept in quarter-credits; credits are rounded up once per call or run step. */
export const quartersPerCredit = 4;

/** Whole credits for a sum of quarter-credits, rounded up. */
export function creditsFor(quarters: number): number {
  return Math.ceil(quarters / quartersPerCredit);
}
