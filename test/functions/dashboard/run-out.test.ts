import { describe, expect, it } from "vitest";
import { daysLeft } from "../../../functions/dashboard/browser/pages/overview/run-out.ts";

const daily = (...credits: readonly number[]) =>
  credits.map((spent, n) => ({
    date: `2026-03-${String(n + 1).padStart(2, "0")}`,
    requests: 1,
    successful: 1,
    failed: 0,
    credits: spent,
  }));

describe("days left", () => {
  it.each([
    [
      "counts the last seven complete days only",
      700,
      daily(9_999, 100, 100, 100, 100, 100, 100, 100, 0),
      7,
    ],
    ["takes days without use as part of the pace", 70, daily(70, 0, 0, 0, 0, 0, 0, 0), 7],
    ["takes today where it is above the pace already", 100, daily(0, 0, 50), 2],
    ["rounds down", 199, daily(100, 0), 1],
    ["is none left without credits", 0, daily(100, 0), 0],
    ["is unknown where nothing is used", 5_000, daily(0, 0, 0), null],
    ["is unknown where there are no days", 5_000, [], null],
  ])("%s", (...[, balance, days, expected]) => {
    expect(daysLeft(balance, days)).toBe(expected);
  });
});
