import { describe, expect, it } from "vitest";
import { accountForecast, presentAccountForecast } from "../../../shared/credits/forecast.ts";
import { forecastOf, type ForecastWatchlist } from "../../../shared/watchlists/forecast.ts";
import { noLimits } from "../../../shared/watchlists/settings.ts";

const now = new Date("2026-03-01T12:00:00Z");
const list: ForecastWatchlist = {
  platform: "retailer_a",
  pipeline: null,
  refreshEveryRuns: 8,
  ...noLimits,
  accountBudget: null,
  usedToday: { watchlist: 0, account: 0 },
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

  it("contains likely credits from the last runs of the same kind, scaled to the current items", () => {
    const runs = [
      { kind: "sweep", credits: 30, tracked: 50, stepItems: {} },
      { kind: "sweep", credits: 10, tracked: 50, stepItems: {} },
      { kind: "baseline", credits: 500, tracked: 100, stepItems: {} },
    ] as const;
    expect(forecastOf({ ...list, runs }, now).day.likely).toBe(21 * 40 + 3 * 100);
  });

  it("includes the first read of new items in place of the usual read of the first run", () => {
    const itemCounts = { new: 10, active: 0, delisted: 0 };
    const { day } = forecastOf({ ...list, itemCounts, runCount: 0, refreshEveryRuns: 0 }, now);
    expect(day).toEqual({ runs: 24, best: 50 + 23 * 3, likely: 50 + 23 * 3, worst: 50 + 23 * 13 });
  });

  it("never exceeds the credit limits of the watchlist", () => {
    const limited = { ...list, refreshEveryRuns: 0, maxCreditsPerRun: 30 };
    const { day, month } = forecastOf({ ...limited, dailyCreditBudget: 400 }, now);
    expect(day).toMatchObject({ likely: 400, worst: 24 * 30 });
    expect(month).toMatchObject({ likely: 30 * 400, worst: 31 * 400 });
    expect(forecastOf(limited, now).day.worst).toBe(24 * 30);
  });

  it("contains only the credits of the runs before the first refresh, if a refresh costs more than the credit limit of a run", () => {
    const { day } = forecastOf({ ...list, runCount: 5, maxCreditsPerRun: 30 }, now);
    expect(day).toMatchObject({ runs: 24, best: 2 * 25, worst: 2 * 30 });
  });
});

describe("the forecast of a watchlist with one step", () => {
  const oneStep: ForecastWatchlist = { ...list, platform: "retailer_d", runCount: 0 };
  const ofDay = (items: number, limits: Partial<ForecastWatchlist> = {}) => {
    const itemCounts = { new: items, active: 0, delisted: 0 };
    return forecastOf({ ...oneStep, itemCounts, ...limits }, now).day;
  };
  const all = (credits: number) => ({ best: credits, likely: credits, worst: credits });

  it("counts each run once, including the run that first reads the items", () => {
    expect(ofDay(2_000)).toEqual({ runs: 24, ...all(48_000) });
  });

  it.each([
    ["max_credits_per_run", { maxCreditsPerRun: 9 }],
    ["the daily budget of the watchlist", { dailyCreditBudget: 9 }],
    ["the daily budget of the account", { accountBudget: 9 }],
  ])("is 0 if a run costs more than a limit: %s", (_limit, limits) => {
    expect(ofDay(10, limits)).toEqual({ runs: 24, ...all(0) });
    expect(ofDay(9, limits).worst).toBeGreaterThan(0);
  });

  it("contains only whole runs within a daily budget, and in the worst case spends the budgets of two UTC days", () => {
    expect(ofDay(10, { dailyCreditBudget: 15 })).toEqual({ runs: 24, ...all(10), worst: 20 });
    expect(ofDay(10, { accountBudget: 35 })).toEqual({ runs: 24, ...all(30), worst: 60 });
    expect(ofDay(10, { dailyCreditBudget: 500 })).toEqual({ runs: 24, ...all(240) });
  });

  it.each([
    [{ watchlist: 0, account: 0 }, 60],
    [{ watchlist: 1, account: 0 }, 50],
    [{ watchlist: 0, account: 20 }, 50],
    [{ watchlist: 12, account: 25 }, 40],
    [{ watchlist: 0, account: 90 }, 30],
  ])("includes the rest of today's budgets (credits used today: %j)", (usedToday, worst) => {
    const budgets = { dailyCreditBudget: 30, accountBudget: 40, usedToday };
    expect(ofDay(10, budgets)).toMatchObject({ best: 30, likely: 30, worst });
  });

  it("counts at most 31 UTC days in a month", () => {
    const itemCounts = { new: 0, active: 10, delisted: 0 };
    const limits = { dailyCreditBudget: 15, usedToday: { watchlist: 10, account: 10 } };
    const { month } = forecastOf({ ...oneStep, itemCounts, ...limits }, now);
    expect(month).toEqual({ runs: 720, best: 300, likely: 300, worst: 300 });
    const unused = { ...limits, usedToday: { watchlist: 0, account: 0 } };
    expect(forecastOf({ ...oneStep, itemCounts, ...unused }, now).month.worst).toBe(310);
  });

  it("omits new items whose first read costs more than the credit limit", () => {
    const itemCounts = { new: 10, active: 4, delisted: 0 };
    const limits = { maxCreditsPerRun: 20, refreshEveryRuns: 0 };
    const { day } = forecastOf({ ...list, itemCounts, ...limits }, now);
    expect(day).toMatchObject({ best: 24, likely: 24 });
  });
});

describe("the forecast of an account", () => {
  const period = { runs: 24, best: 100, likely: 200, worst: 400 };
  const month = { runs: 720, best: 3_000, likely: 6_000, worst: 12_000 };
  const two = [
    { day: period, month },
    { day: period, month },
  ];

  it("contains the sum of the forecasts of its watchlists, and the time when the balance runs out", () => {
    const account = { balance: 4_000, dailyCreditBudget: null, usedToday: 0 };
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
    const account = { balance: 9_300, dailyCreditBudget: 300, usedToday: 0 };
    expect(accountForecast(two, account, now)).toMatchObject({
      day: { best: 200, likely: 300, worst: 600 },
      month: { best: 6_000, likely: 9_000, worst: 9_300 },
      runsOutAt: { worst: new Date("2026-03-31T12:00:00Z") },
    });
    const spent = accountForecast(two, { ...account, usedToday: 290 }, now);
    expect(spent.day).toEqual({ runs: 48, best: 200, likely: 300, worst: 310 });
    const exhausted = accountForecast(two, { ...account, usedToday: 301 }, now);
    expect(exhausted.day).toMatchObject({ worst: 300 });
  });

  it("contains no time when the balance runs out if no watchlist has costs", () => {
    const { runsOutAt } = accountForecast(
      [],
      { balance: 0, dailyCreditBudget: null, usedToday: 0 },
      now,
    );
    expect(runsOutAt).toEqual({ best: null, likely: null, worst: null });
  });
});

describe("the time when an account's balance runs out", () => {
  const dailyRate = (month: number) => ({ runs: 30, best: month, likely: month, worst: month });
  const outOf = (balance: number) =>
    accountForecast(
      [{ day: dailyRate(1), month: dailyRate(30) }],
      { balance, dailyCreditBudget: null, usedToday: 0 },
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
    'contains the time when the balance runs out as an ISO time, in the forecast\'s case "%s"',
    (name) => {
      const runsOutAt = { ...none, [name]: now };
      expect(presentAccountForecast({ ...forecast, runsOutAt })).toEqual({
        ...forecast,
        balance_runs_out_at: { ...none, [name]: now.toISOString() },
      });
    },
  );
});
