import { describe, expect, it } from "vitest";
import { runOutOf } from "../../../functions/dashboard/browser/pages/overview/run-out.ts";
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

const paused = { since: "2025-01-01", byDay: new Map<string, number>() };

/** Returns an account with this balance and without usage, so that the schedules alone decide. */
const withBalance = (credits: number) => ({
  account: { created_at: "2025-01-01T00:00:00Z", credit_balance: credits },
  use: { daily: [], paused },
});

const bySchedules = (hours: number) => [
  {
    hours,
    at: new Date(now.getTime() + hours * hourMs),
    basis: "from the schedules and past runs of the active watchlists",
  },
];

describe("the number of runs that a balance covers, in the dashboard,", () => {
  it.each([
    [
      "includes the first run and the ordinary runs after it",
      estimateOf({ likely: 720 * 100 + 500, newAsins: 500, outIn: 4.5 }),
      1_000,
      {
        runs: 6,
        hours: 6,
        all: bySchedules(4.5),
      },
    ],
    [
      "is shown with the time that these runs take at the interval of the schedule",
      estimateOf({ likely: 30 * 100, runs: 30 }),
      1_000,
      { runs: 10, hours: 240, all: null },
    ],
    [
      "is 0 if the balance is below the credits of the first reads",
      estimateOf({ likely: 720 * 100 + 500, newAsins: 500, outIn: 0 }),
      499,
      {
        runs: 0,
        hours: 0,
        all: bySchedules(0),
      },
    ],
    [
      "is 0 if the balance is below the credits of an ordinary run",
      estimateOf({ likely: 720 * 100 }),
      99,
      { runs: 0, hours: 0, all: null },
    ],
    [
      "has no limit if runs cost nothing",
      estimateOf({ likely: 0 }),
      5,
      { runs: null, hours: null, all: null },
    ],
  ])("follows the rule that it %s", (...[, estimate, balance, expected]) => {
    expect(coverageOf(estimate, withBalance(balance), now)).toEqual(expected);
  });

  it("is shown with both forecasts of the Overview page: one from the schedules, one from past use", () => {
    const day = (n: number) => ({
      date: `2026-03-0${n}`,
      requests: 1,
      successful: 1,
      failed: 0,
      credits: 48,
    });
    const use = { daily: [day(8), day(9)], paused };
    const spending = { ...withBalance(96), use };
    const estimate = estimateOf({ likely: 720, outIn: 96 });
    const all = coverageOf(estimate, spending, now)?.all;
    expect(all).toEqual(
      runOutOf({ ...spending.account, forecast: estimate.account_forecast }, use, now),
    );
    expect(all?.map(({ hours }) => hours)).toEqual([60, 96]);
  });

  it("is unknown until estimate, forecast and balance are loaded, and for a schedule without runs", () => {
    const estimate = estimateOf({ likely: 100 });
    expect(coverageOf(undefined, withBalance(5), now)).toBeUndefined();
    expect(coverageOf(estimate, undefined, now)).toBeUndefined();
    expect(coverageOf({ ...estimate, forecast: null }, withBalance(5), now)).toBeUndefined();
    expect(
      coverageOf({ ...estimate, account_forecast: null }, withBalance(5), now),
    ).toBeUndefined();
    expect(coverageOf(estimateOf({ likely: 0, runs: 0 }), withBalance(5), now)).toBeUndefined();
  });
});
