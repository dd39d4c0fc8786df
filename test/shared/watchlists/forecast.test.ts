import { describe, expect, it } from "vitest";
import { accountForecast, presentAccountForecast } from "../../../shared/credits/forecast.ts";
import { forecastOf, type ForecastWatchlist } from "../../../shared/watchlists/forecast.ts";

const now = new Date("2026-03-01T12:00:00Z");
const list: ForecastWatchlist = {
  platform: "retailer_a",
  pipeline: null,
  refreshEveryRuns: 8,
  maxCreditsPerRun: null,
  dailyCreditBudget: null,
  schedule: { type: "every", every: "1h", everySeconds: 3_600 },
  itemCounts: { new: 0, active: 100, delisted: 7 },
  runCount: 7,
  runs: [],
};

describe("the forecast of a watchlist", () => {
  it("contains the runs and refreshes of its schedule, at the price of runs without changes", () => {
    // 24 runs, numbers 8 to 31: three of them are refreshes, which read 100 items at lite.
    expect(forecastOf(list, now).day).toEqual({
      runs: 24,
      best: 21 * 25 + 3 * 100,
      likely: 21 * 25 + 3 * 100,
      worst: 21 * 125 + 3 * 100,
    });
  });

  it("contains likely credits that follow from the last runs of the same kind and the current items", () => {
    const runs = [
      { kind: "sweep", credits: 30, tracked: 50 },
      { kind: "sweep", credits: 10, tracked: 50 },
      { kind: "baseline", credits: 500, tracked: 100 },
    ] as const;
    expect(forecastOf({ ...list, runs }, now).day.likely).toBe(21 * 40 + 3 * 100);
  });

  it("includes the first reads of new items once in the likely and the worst credits", () => {
    const itemCounts = { new: 10, active: 0, delisted: 0 };
    const { day } = forecastOf({ ...list, itemCounts, runCount: 0, refreshEveryRuns: 0 }, now);
    expect(day.best).toBe(24 * 3);
    expect(day.likely).toBe(24 * 3 + 50);
  });

  it("never exceeds the credit limits of the watchlist", () => {
    const { day, month } = forecastOf(
      { ...list, maxCreditsPerRun: 30, dailyCreditBudget: 400 },
      now,
    );
    expect(day.worst).toBe(400);
    expect(month.worst).toBe(30 * 400);
    expect(forecastOf({ ...list, maxCreditsPerRun: 30 }, now).day.worst).toBe(24 * 30);
  });
});

describe("the forecast of an account", () => {
  const period = { runs: 24, best: 100, likely: 200, worst: 400 };
  const month = { runs: 720, best: 3_000, likely: 6_000, worst: 12_000 };
  const two = [
    { day: period, month },
    { day: period, month },
  ];

  it("contains the sum of its watchlists and the time at which the balance runs out", () => {
    const account = { balance: 4_000, dailyCreditBudget: null };
    expect(accountForecast(two, account, now)).toMatchObject({
      watchlists: 2,
      day: { runs: 48, best: 200, likely: 400, worst: 800 },
      runsOutAt: {
        best: new Date("2026-03-21T12:00:00Z"),
        likely: new Date("2026-03-11T12:00:00Z"),
        worst: new Date("2026-03-06T12:00:00Z"),
      },
    });
  });

  it("is limited by the daily budget of the account", () => {
    const account = { balance: 3_000, dailyCreditBudget: 300 };
    expect(accountForecast(two, account, now)).toMatchObject({
      day: { best: 200, likely: 300, worst: 300 },
      runsOutAt: { worst: new Date("2026-03-11T12:00:00Z") },
    });
  });

  it("contains no time at which the balance runs out if no watchlist has costs", () => {
    const { runsOutAt } = accountForecast([], { balance: 0, dailyCreditBudget: null }, now);
    expect(runsOutAt).toEqual({ best: null, likely: null, worst: null });
  });
});

describe("the time at which the balance runs out", () => {
  const dailyRate = (month: number) => ({ runs: 30, best: month, likely: month, worst: month });
  const outOf = (balance: number) =>
    accountForecast(
      [{ day: dailyRate(1), month: dailyRate(30) }],
      { balance, dailyCreditBudget: null },
      now,
    ).runsOutAt.likely;

  it.each([
    [3_649, "2036-02-26T12:00:00.000Z"],
    [3_650, "2036-02-27T12:00:00.000Z"],
  ])("is forecast for a balance that lasts %i days", (balance, time) => {
    expect(outOf(balance)?.toISOString()).toBe(time);
  });

  it("is unknown if the balance lasts longer than 3,650 days", () => {
    expect(outOf(3_651)).toBeNull();
  });
});

describe("the forecast of an account in an API response", () => {
  const period = { runs: 1, best: 2, likely: 3, worst: 4 };
  const forecast = { watchlists: 5, day: period, month: { ...period, runs: 30 } };
  const none = { best: null, likely: null, worst: null };

  it.each(["best", "likely", "worst"] as const)(
    "contains the %s time at which the balance runs out as an ISO time",
    (name) => {
      const runsOutAt = { ...none, [name]: now };
      expect(presentAccountForecast({ ...forecast, runsOutAt })).toEqual({
        ...forecast,
        balance_runs_out_at: { ...none, [name]: now.toISOString() },
      });
    },
  );
});
