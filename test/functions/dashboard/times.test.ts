import { describe, expect, it } from "vitest";
import { isoOf, lastingWords, localOf } from "../../../functions/dashboard/browser/format/times.ts";

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
