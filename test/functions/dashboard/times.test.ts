import { describe, expect, it } from "vitest";
import { isoOf } from "../../../functions/dashboard/browser/format/times.ts";

describe("a local time that a user types in the dashboard", () => {
  it("is converted to the same instant in ISO 8601", () => {
    const local = "2026-03-01T08:30";
    expect(isoOf(local)).toBe(new Date(2026, 2, 1, 8, 30).toISOString());
  });

  it.each(["", "12026-03-01T08:30", "2026-13-01T08:30"])(
    "is converted to undefined if it is the invalid text %j",
    (local) => {
      expect(isoOf(local)).toBeUndefined();
    },
  );
});
