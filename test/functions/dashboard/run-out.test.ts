import { describe, expect, it } from "vitest";
import {
  daysLeft,
  currentPace,
} from "../../../functions/dashboard/browser/pages/overview/run-out.ts";

const dateOf = (n: number): string => `2026-03-${String(n + 1).padStart(2, "0")}`;

/** Daily usage with the given credits; the last day is today. */
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

describe("the credits spent per day that the dashboard shows", () => {
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
      "include days without usage since a new account was created in the average",
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

describe("the days until the credits are used up, in the dashboard,", () => {
  const pace = { credits: 100, of: "yesterday" };
  it.each([
    ["are rounded down to whole days", 199, pace, 1],
    ["are 0 for an account without credits", 0, pace, 0],
    ["are 0 for an account without credits and without usage", 0, null, 0],
    ["are unknown for an account with credits and without usage", 5_000, null, null],
  ])("%s", (...[, balance, given, expected]) => {
    expect(daysLeft(balance, given)).toBe(expected);
  });
});
