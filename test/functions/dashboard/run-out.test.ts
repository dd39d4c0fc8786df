import { describe, expect, it } from "vitest";
import {
  currentPace,
  runOutOf,
  unlimitedWords,
  type PausedCredits,
  type Spending,
} from "../../../functions/dashboard/browser/pages/overview/run-out.ts";
import { pausedCredits } from "../../../functions/dashboard/browser/pages/overview/paused-credits.ts";

const dateOf = (n: number): string => `2026-03-${String(n + 1).padStart(2, "0")}`;

/** Returns daily usage with the given credits; the last day is today. */
const daily = (...credits: readonly number[]) =>
  credits.map((spent, n) => ({
    date: dateOf(n),
    requests: 1,
    successful: 1,
    failed: 0,
    credits: spent,
  }));

const old = { created_at: "2025-01-01T00:00:00Z" };
const createdOn = (n: number) => ({ created_at: `${dateOf(n)}T12:00:00Z` });
const nonePaused: PausedCredits = { since: "2025-01-01", byDay: new Map() };
/** Noon of the last of eight days. */
const now = new Date(`${dateOf(7)}T12:00:00Z`);

describe("the credits used per day in the dashboard", () => {
  it.each([
    [
      "are the average of the last seven complete days and today",
      daily(100, 100, 100, 100, 100, 100, 100, 50),
      old,
      nonePaused,
      { credits: 100, since: dateOf(0) },
    ],
    [
      "spread the use of a single day over the seven complete days and today",
      daily(0, 0, 0, 0, 0, 0, 0, 750),
      old,
      nonePaused,
      { credits: 100, since: dateOf(0) },
    ],
    [
      "leave out the runs of watchlists that are paused now",
      daily(100, 100, 100, 100, 100, 100, 100, 5_050),
      old,
      { since: dateOf(0), byDay: new Map([[dateOf(7), 5_000]]) },
      { credits: 100, since: dateOf(0) },
    ],
    [
      "are unknown if only watchlists that are paused now used credits",
      daily(0, 0, 0, 0, 0, 0, 0, 5_000),
      old,
      { since: dateOf(0), byDay: new Map([[dateOf(7), 5_000]]) },
      null,
    ],
    [
      "start on the first day for which all runs of paused watchlists are known",
      daily(900, 900, 900, 100, 100, 100, 100, 50),
      old,
      { since: dateOf(3), byDay: new Map() },
      { credits: 100, since: dateOf(3) },
    ],
    [
      "exclude the time before the account existed",
      daily(0, 0, 0, 0, 50, 100, 100, 50),
      createdOn(4),
      nonePaused,
      { credits: 100, since: dateOf(4) },
    ],
    [
      "are unknown for an account that is less than two days old",
      daily(0, 0, 0, 0, 0, 0, 100, 50),
      createdOn(6),
      nonePaused,
      null,
    ],
    ["are unknown if no day has usage", daily(0, 0, 0, 0, 0, 0, 0, 0), old, nonePaused, null],
    ["are unknown if the usage contains no days", [], old, nonePaused, null],
  ])("follow the rule that they %s", (...[, days, account, paused, expected]) => {
    expect(currentPace({ daily: days, paused }, account, now)).toEqual(expected);
  });
});

describe("the credits of paused watchlists in the dashboard", () => {
  const from = new Date(`${dateOf(0)}T12:00:00Z`);
  const runAt = (time: string, credits: number) => ({ started_at: time, credits });

  it("are summed by UTC day over all paused watchlists", () => {
    const first = [runAt("2026-03-03T01:00:00Z", 5), runAt("2026-03-02T23:00:00Z", 7)];
    const second = [runAt("2026-03-03T23:00:00Z", 11)];
    expect(pausedCredits([first, second], from)).toEqual({
      since: "2026-03-01",
      byDay: new Map([
        ["2026-03-03", 16],
        ["2026-03-02", 7],
      ]),
    });
  });

  it("are known only from the day after the oldest kept run if earlier runs were deleted", () => {
    const runs = Array.from({ length: 500 }, () => runAt("2026-03-05T10:00:00Z", 1));
    expect(pausedCredits([runs], from).since).toBe("2026-03-06");
  });
});

describe("the time until the credits are used up in the dashboard", () => {
  const hourMs = 3_600_000;
  const after = (hours: number): Date => new Date(now.getTime() + hours * hourMs);
  const spending = (balance: number, scheduledHours: number | null): Spending =>
    ({
      created_at: "2025-01-01T00:00:00Z",
      credit_balance: balance,
      forecast: {
        balance_runs_out_at: {
          likely: scheduledHours === null ? null : after(scheduledHours).toISOString(),
        },
      },
    }) as Spending;
  const used = { daily: daily(100, 100, 100, 100, 100, 100, 100, 50), paused: nonePaused };
  const unused = { daily: daily(0, 0), paused: nonePaused };
  const bySchedules = (hours: number) => ({
    hours,
    at: after(hours),
    basis: "from the schedules and past runs of the active watchlists",
  });
  const byUse = (hours: number) => ({
    hours,
    at: after(hours),
    basis: "from the credits used since 1 Mar, without paused watchlists",
  });

  it.each([
    [
      "shows the forecast of the schedules first if it is the earlier one",
      spending(2_400, 8.5),
      used,
      [bySchedules(8.5), byUse(576)],
    ],
    [
      "shows the forecast of the rate of use first if it is the earlier one",
      spending(200, 720),
      used,
      [byUse(48), bySchedules(720)],
    ],
    [
      "shows only the rate of use if the schedules use no credits",
      spending(50, null),
      used,
      [byUse(12)],
    ],
    [
      "shows only the schedules if no credits were used before",
      spending(5_000, 3),
      unused,
      [bySchedules(3)],
    ],
    ["is unknown if neither schedules nor calls use credits", spending(5_000, null), unused, null],
    ["is unknown if it is more than ten years", spending(400_000, null), used, null],
    [
      "is 0 if the forecast time has already passed on the browser's clock",
      spending(0, -2),
      unused,
      [bySchedules(0)],
    ],
  ])("follows the rule that it %s", (...[, account, use, expected]) => {
    expect(runOutOf(account, use, now)).toEqual(expected);
  });
});

describe("the dashboard's forecast if the service returns no time at which the credits run out", () => {
  const forecastOf = (likely: number) => ({
    forecast: {
      watchlists: 1,
      day: { runs: 1, best: likely, likely, worst: likely },
      month: { runs: 30, best: likely, likely, worst: likely },
      balance_runs_out_at: { best: null, likely: null, worst: null },
    },
  });

  it("is 'More than ten years' if schedules use credits", () => {
    expect(unlimitedWords(forecastOf(600)).value).toBe("More than ten years");
  });

  it("states that no schedule uses credits, if that is the reason", () => {
    expect(unlimitedWords(forecastOf(0)).note).toContain("no schedule uses credits");
  });
});
