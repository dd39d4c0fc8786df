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

describe("the rate of spending in the dashboard", () => {
  it.each([
    [
      "is that of the last seven complete days",
      daily(9_999, 100, 100, 100, 100, 100, 100, 100, 0),
      old,
      { credits: 100, of: "the last 7 days" },
    ],
    [
      "counts days without use",
      daily(70, 0, 0, 0, 0, 0, 0, 0),
      old,
      { credits: 10, of: "the last 7 days" },
    ],
    [
      "counts no day before the account existed",
      daily(0, 0, 0, 0, 0, 0, 1_000, 0),
      openedOn(6),
      { credits: 1_000, of: "yesterday" },
    ],
    [
      "counts the days without use since a new account was created",
      daily(0, 0, 0, 0, 300, 0, 0, 0),
      openedOn(4),
      { credits: 100, of: "the last 3 days" },
    ],
    [
      "is that of today if it is above the days before",
      daily(0, 0, 50),
      old,
      { credits: 50, of: "today alone" },
    ],
    [
      "is that of today on an account's first day",
      daily(0, 0, 50),
      openedOn(2),
      { credits: 50, of: "today alone" },
    ],
    ["is unknown without usage", daily(0, 0, 0), old, null],
    ["is unknown without complete days", [], old, null],
  ])("%s", (...[, days, account, expected]) => {
    expect(currentPace(days, account)).toEqual(expected);
  });
});

describe("the days until the credits are used up, in the dashboard,", () => {
  const pace = { credits: 100, of: "yesterday" };
  it.each([
    ["are rounded down", 199, pace, 1],
    ["are 0 without credits", 0, pace, 0],
    ["are 0 without credits, even without usage", 0, null, 0],
    ["are unknown without usage", 5_000, null, null],
  ])("%s", (...[, balance, given, expected]) => {
    expect(daysLeft(balance, given)).toBe(expected);
  });
});
