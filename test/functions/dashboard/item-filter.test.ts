import { describe, expect, it } from "vitest";
import {
  allItems,
  itemOrders,
  lastRun,
  queryOf,
  timeOf,
} from "../../../functions/dashboard/browser/pages/watchlists/item-filter.ts";

describe("the dashboard's item filter", () => {
  it("sends the trimmed search text and the chosen sort order, and no sort order if items are sorted by ID", () => {
    const list = { last_run_at: null };
    expect(queryOf({ ...allItems, search: " blue kettle " }, list)).toEqual({
      state: undefined,
      changed_since: undefined,
      search: "blue kettle",
    });
    for (const [order] of itemOrders.slice(1)) {
      const query = queryOf({ ...allItems, order }, list);
      expect(`${query.sort} ${query.order}`).toBe(order);
    }
  });

  it("selects changes since the start of the newest run, even if that run began after the user set the filter", () => {
    const since = (at: string | null) =>
      queryOf({ ...allItems, changedSince: lastRun }, { last_run_at: at }).changed_since;
    expect(since("2026-03-01T00:00:00.000Z")).toBe("2026-03-01T00:00:00.000Z");
    expect(since("2026-03-02T00:00:00.000Z")).toBe("2026-03-02T00:00:00.000Z");
    expect(since(null)).toBeUndefined();
    const fixed = queryOf({ ...allItems, changedSince: "2026-01-01" }, { last_run_at: null });
    expect(fixed.changed_since).toBe("2026-01-01");
  });

  it("ignores a time field whose value is not a time", () => {
    expect(timeOf("2026-03-01T00:00")).toBe(new Date("2026-03-01T00:00").toISOString());
    expect(timeOf("")).toBeUndefined();
    expect(timeOf("12026-03-01T00:00")).toBeUndefined();
  });
});
