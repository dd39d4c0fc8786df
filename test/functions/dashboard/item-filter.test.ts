import { describe, expect, it } from "vitest";
import {
  allItems,
  type ItemFilter,
  itemOrders,
  lastRun,
  placeOf,
  queryOf,
  readPlace,
} from "../../../functions/dashboard/browser/pages/watchlists/item-filter.ts";

const now = new Date("2026-03-08T00:00:00.000Z");
const tabs = ["items", "runs"];

describe("the dashboard's item filter", () => {
  it("sends the trimmed search text and the chosen sort order, and no sort order if items are sorted by ID", () => {
    const since = { list: { last_run_at: null }, now };
    expect(queryOf({ ...allItems, search: " blue kettle " }, since)).toEqual({
      state: "",
      changed_since: undefined,
      search: "blue kettle",
    });
    for (const [order] of itemOrders.slice(1)) {
      const query = queryOf({ ...allItems, order }, since);
      expect(`${query.sort} ${query.order}`).toBe(order);
    }
  });

  it("selects changes since the start of the newest run, even if that run began after the user set the filter", () => {
    const since = (at: string | null) =>
      queryOf({ ...allItems, changed: lastRun }, { list: { last_run_at: at }, now }).changed_since;
    expect(since("2026-03-01T00:00:00.000Z")).toBe("2026-03-01T00:00:00.000Z");
    expect(since("2026-03-02T00:00:00.000Z")).toBe("2026-03-02T00:00:00.000Z");
    expect(since(null)).toBeUndefined();
  });

  it("selects changes of the last week, or since a time in the URL", () => {
    const since = (changed: string) =>
      queryOf({ ...allItems, changed }, { list: { last_run_at: null }, now }).changed_since;
    expect(since("week")).toBe("2026-03-01T00:00:00.000Z");
    expect(since("2026-01-01")).toBe("2026-01-01");
  });

  it("is unchanged after the dashboard wrote the filter to the URL and read it from the URL", () => {
    const filters: readonly ItemFilter[] = [
      allItems,
      { state: "delisted", changed: "day", search: "blue kettle", order: "price desc" },
      { ...allItems, changed: "2026-03-01T08:00:00.000Z" },
    ];
    for (const filter of filters) {
      expect(readPlace(new URLSearchParams(placeOf(filter)), tabs)).toMatchObject({
        filter: { ...filter },
      });
    }
  });

  it("reports the parts of the URL that the filter cannot apply", () => {
    const read = readPlace(new URLSearchParams("tab=items&state=gone&changed=today&page=2"), tabs);
    expect(read.tab).toBe("items");
    expect(read.filter).toEqual(allItems);
    expect(read.ignored.map(({ name }) => name)).toEqual(["state", "page", "changed"]);
  });
});
