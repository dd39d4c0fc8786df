import { describe, expect, it } from "vitest";
import {
  axisLabels,
  isoOf,
  lastingWords,
  localOf,
} from "../../../functions/dashboard/browser/format/times.ts";

describe("a local time that a user types in the dashboard", () => {
  it("is converted to the same instant in ISO 8601", () => {
    const local = "2026-03-01T08:30";
    expect(isoOf(local)).toBe(new Date(2026, 2, 1, 8, 30).toISOString());
  });

  it("is shown again as the user typed it", () => {
    const local = "2026-03-01T08:30";
    expect(localOf(isoOf(local) ?? "")).toBe(local);
  });

  it.each(["", "12026-03-01T08:30", "2026-13-01T08:30"])(
    "is converted to undefined if it is invalid: %j",
    (local) => {
      expect(isoOf(local)).toBeUndefined();
    },
  );
});

describe("the dashboard's text about how long credits last", () => {
  it.each([
    [0, "less than an hour"],
    [0.99, "less than an hour"],
    [1, "1 hour"],
    [8.5, "8 hours"],
    [47.9, "47 hours"],
    [48, "2 days"],
    [24 * 2_499.5, "2,499 days"],
  ])("shows %d hours as '%s'", (hours, words) => {
    expect(lastingWords(hours)).toBe(words);
  });
});

describe("the labels of a time axis in the dashboard", () => {
  const at = (...date: readonly [number, number, number, number?]): number =>
    new Date(...date).getTime() / 1_000;

  it("are days, with the year at the first day and at each change of year", () => {
    const times = [at(2025, 11, 28), at(2025, 11, 30), at(2026, 0, 1), at(2026, 0, 3)];
    expect(axisLabels(times, 2 * 86_400)).toEqual([
      "28 Dec\n2025",
      "30 Dec",
      "1 Jan\n2026",
      "3 Jan",
    ]);
  });

  it("are times for steps below a day, with the date at the first time and at each change of date", () => {
    const times = [at(2026, 10, 28, 12), at(2026, 10, 28, 18), at(2026, 10, 29, 0)];
    expect(axisLabels(times, 6 * 3_600)).toEqual(["12:00\n28 Nov", "18:00", "00:00\n29 Nov"]);
  });

  it("are times with seconds for steps below a minute", () => {
    const start = at(2026, 10, 28, 12);
    expect(axisLabels([start, start + 5], 5)).toEqual(["12:00:00\n28 Nov", "12:00:05"]);
  });
});
