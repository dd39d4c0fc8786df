import { describe, expect, it } from "vitest";
import {
  queryOf,
  readFilter,
  stockOrders,
} from "../../../functions/dashboard/browser/pages/stock/stock-filter.ts";
import { readQuery } from "../../../functions/dashboard/browser/shell/page-query.ts";
import { itemOrders, itemSorts } from "../../../shared/watchlists/arrange-items.ts";

describe("the address of a page of the dashboard", () => {
  it("gives the valid values, and names every other part with the reason", () => {
    const query = new URLSearchParams("tab=runs&name=any text&size=5&state=old");
    const form = { tab: ["items", "runs"], name: undefined, state: ["new", "active"] };
    expect(readQuery(query, form)).toEqual({
      values: { tab: "runs", name: "any text" },
      ignored: [
        { name: "size", value: "5", reason: "this page has only tab, name, state" },
        { name: "state", value: "old", reason: "the valid values are new, active" },
      ],
    });
  });

  it("cannot name a filter that every object has", () => {
    const { values, ignored } = readQuery(new URLSearchParams("constructor=1"), {});
    expect([values, ignored.length]).toEqual([{}, 1]);
  });
});

describe("the filters of the page Out of stock", () => {
  it("ask for the items that changed last first, without a search that is too short", () => {
    const { filter, ignored } = readFilter(new URLSearchParams("search=a&order=size"));
    expect(ignored.map(({ name }) => name)).toEqual(["order"]);
    expect(queryOf(filter)).toEqual({
      stock: "out",
      watchlist_id: "",
      search: "",
      sort: "changed_at",
      order: "desc",
    });
    expect(queryOf({ ...filter, search: " kettle " }).search).toBe("kettle");
  });

  it("offer only orders of the API", () => {
    for (const [value] of stockOrders) {
      const [sort, order] = value.split(" ");
      expect(itemSorts).toContain(sort);
      expect(itemOrders).toContain(order);
    }
  });
});
