import { describe, expect, it } from "vitest";
import { isoOf } from "../../../functions/dashboard/browser/format/times.ts";

describe("a local time in the dashboard", () => {
  it("converts to ISO 8601 at the same instant", () => {
    const local = "2026-03-01T08:30";
    expect(isoOf(local)).toBe(new Date(2026, 2, 1, 8, 30).toISOString());
  });

  it.each(["", "12026-03-01T08:30", "2026-13-01T08:30"])(
    "is undefined when %j is not a valid time",
    (local) => {
      expect(isoOf(local)).toBeUndefined();
    },
  );
});
