import { describe, expect, it } from "vitest";
import { coverageOf } from "../../../functions/dashboard/browser/pages/watchlists/coverage.ts";

const now = new Date("2026-03-10T12:00:00Z");
const hourMs = 3_600_000;

interface Given {
  readonly likely: number;
  readonly runs?: number;
  readonly newAsins?: number;
  /** Hours until all watchlists together have used up the balance. */
  readonly outIn?: number | null;
}

function estimateOf({ likely, runs = 720, newAsins = 0, outIn = null }: Given) {
  const month = { runs, best: 0, likely, worst: likely };
  const out = outIn === null ? null : new Date(now.getTime() + outIn * hourMs).toISOString();
  return {
    estimated_credits: { pulseRun: 0, refreshRun: 0, newAsins },
    forecast: { day: month, month },
    account_forecast: {
      watchlists: 2,
      day: month,
      month,
      balance_runs_out_at: { best: null, likely: out, worst: null },
    },
  };
}

describe("the number of runs that the balance covers in the dashboard", () => {
  it.each([
    [
      "includes the first run and the ordinary runs after it",
      estimateOf({ likely: 720 * 100 + 500, newAsins: 500, outIn: 4.5 }),
      1_000,
      { runs: 6, hours: 6, allHours: 4.5 },
    ],
    [
      "is shown with the time that these runs take at the interval of the schedule",
      estimateOf({ likely: 30 * 100, runs: 30 }),
      1_000,
      { runs: 10, hours: 240, allHours: null },
    ],
    [
      "is 0 if the balance is below the credits of the first reads",
      estimateOf({ likely: 720 * 100 + 500, newAsins: 500, outIn: 0 }),
      499,
      { runs: 0, hours: 0, allHours: 0 },
    ],
    [
      "is 0 if the balance is below the credits of an ordinary run",
      estimateOf({ likely: 720 * 100 }),
      99,
      { runs: 0, hours: 0, allHours: null },
    ],
    [
      "has no limit if runs cost nothing",
      estimateOf({ likely: 0 }),
      5,
      { runs: null, hours: null, allHours: null },
    ],
  ])("%s", (...[, estimate, balance, expected]) => {
    expect(coverageOf(estimate, balance, now)).toEqual(expected);
  });

  it("is unknown until estimate, forecast and balance are loaded, and for a schedule without runs", () => {
    const estimate = estimateOf({ likely: 100 });
    expect(coverageOf(undefined, 5, now)).toBeUndefined();
    expect(coverageOf(estimate, undefined, now)).toBeUndefined();
    expect(coverageOf({ ...estimate, forecast: null }, 5, now)).toBeUndefined();
    expect(coverageOf({ ...estimate, account_forecast: null }, 5, now)).toBeUndefined();
    expect(coverageOf(estimateOf({ likely: 0, runs: 0 }), 5, now)).toBeUndefined();
  });
});
