import { describe, expect, it } from "vitest";
import {
  allItems,
  lastRun,
  prefixOf,
  sinceOf,
  timeOf,
} from "../../../functions/dashboard/browser/pages/watchlists/item-filter.ts";

describe("the dashboard's item filter", () => {
  it.each([
    ["A-13860428", "13860428"],
    ["a-13", "13"],
    [" b0sand ", "b0sand"],
    ["9000 001", "9000001"],
    ["'9000001'", "9000001"],
    ["A13", "A13"],
    ["12345678901234567", "123456789012345"],
    ["-", ""],
  ])("converts the search text %j to the ID prefix %j", (written, prefix) => {
    expect(prefixOf(written)).toBe(prefix);
  });

  it("selects changes since the start of the newest run, even if that run began after the user set the filter", () => {
    const since = (at: string | null) =>
      sinceOf({ ...allItems, changedSince: lastRun }, { last_run_at: at });
    expect(since("2026-03-01T00:00:00.000Z")).toBe("2026-03-01T00:00:00.000Z");
    expect(since("2026-03-02T00:00:00.000Z")).toBe("2026-03-02T00:00:00.000Z");
    expect(since(null)).toBeUndefined();
    expect(sinceOf({ ...allItems, changedSince: "2026-01-01" }, { last_run_at: null })).toBe(
      "2026-01-01",
    );
  });

  it("ignores a time field whose value is not a time", () => {
    expect(timeOf("2026-03-01T00:00")).toBe(new Date("2026-03-01T00:00").toISOString());
    expect(timeOf("")).toBeUndefined();
    expect(timeOf("12026-03-01T00:00")).toBeUndefined();
  });
});
