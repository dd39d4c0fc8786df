import { describe, expect, it } from "vitest";
import { assert } from "../../../shared/base/assert.ts";
import {
  basisWords,
  currentPace,
  runOutOf,
  type Spending,
} from "../../../functions/dashboard/browser/pages/overview/run-out.ts";

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
const openedOn = (n: number) => ({ created_at: `${dateOf(n)}T23:59:59.999Z` });

describe("the credits spent per day in the dashboard", () => {
  it.each([
    [
      "are the average of the last seven complete days",
      daily(9_999, 100, 100, 100, 100, 100, 100, 100, 0),
      old,
      { credits: 100, of: "the last 7 days" },
    ],
    [
      "include days without usage in the average",
      daily(70, 0, 0, 0, 0, 0, 0, 0),
      old,
      { credits: 10, of: "the last 7 days" },
    ],
    [
      "exclude days before the account existed from the average",
      daily(0, 0, 0, 0, 0, 0, 1_000, 0),
      openedOn(6),
      { credits: 1_000, of: "yesterday" },
    ],
    [
      "include, for a new account, days without usage since its creation",
      daily(0, 0, 0, 0, 300, 0, 0, 0),
      openedOn(4),
      { credits: 100, of: "the last 3 days" },
    ],
    [
      "are those of today if no earlier day has usage",
      daily(0, 0, 50),
      old,
      { credits: 50, of: "today alone" },
    ],
    [
      "are those of today on the first day of an account",
      daily(0, 0, 50),
      openedOn(2),
      { credits: 50, of: "today alone" },
    ],
    ["are unknown if no day has usage", daily(0, 0, 0), old, null],
    ["are unknown if there are no complete days", [], old, null],
  ])("%s", (...[, days, account, expected]) => {
    expect(currentPace(days, account)).toEqual(expected);
  });
});

describe("the time until the credits are used up in the dashboard", () => {
  const now = new Date("2026-03-10T12:00:00Z");
  const hourMs = 3_600_000;
  const spending = (balance: number, scheduledHours: number | null): Spending =>
    ({
      created_at: "2025-01-01T00:00:00Z",
      credit_balance: balance,
      forecast: {
        balance_runs_out_at: {
          likely:
            scheduledHours === null
              ? null
              : new Date(now.getTime() + scheduledHours * hourMs).toISOString(),
        },
      },
    }) as Spending;
  const used = daily(100, 100, 100, 100, 100, 100, 100, 0);

  it.each([
    [
      "follows the schedules' forecast if it is shorter than the time at the current rate",
      spending(2_400, 8.5),
      used,
      {
        hours: 8.5,
        basis: "at the forecast of the schedules",
        later: { hours: 576, basis: "at the rate of the last 7 days" },
      },
    ],
    [
      "follows the current rate if the schedules' forecast is longer",
      spending(200, 720),
      used,
      {
        hours: 48,
        basis: "at the rate of the last 7 days",
        later: { hours: 720, basis: "at the forecast of the schedules" },
      },
    ],
    [
      "follows the current rate if the schedules use no credits",
      spending(50, null),
      used,
      { hours: 12, basis: "at the rate of the last 7 days", later: null },
    ],
    [
      "follows the schedules' forecast if no credits were used before",
      spending(5_000, 3),
      daily(0, 0),
      { hours: 3, basis: "at the forecast of the schedules", later: null },
    ],
    [
      "is unknown if neither schedules nor calls use credits",
      spending(5_000, null),
      daily(0),
      null,
    ],
    [
      "is 0 if the forecast is earlier than the browser's time",
      spending(0, -2),
      daily(0),
      { hours: 0, basis: "at the forecast of the schedules", later: null },
    ],
  ])("%s", (...[, account, days, expected]) => {
    expect(runOutOf(account, days, now)).toEqual(expected);
  });

  it("names what it is based on, and the later forecast", () => {
    const runOut = runOutOf(spending(200, 720), used, now);
    assert(runOut !== null, "the credits are used up");
    expect(basisWords(runOut)).toBe(
      "at the rate of the last 7 days; 30 days at the forecast of the schedules",
    );
  });
});
