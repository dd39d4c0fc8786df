import { describe, expect, it } from "vitest";
import {
  queryOf,
  readFilter,
  stockOrders,
} from "../../../functions/dashboard/browser/pages/stock/stock-filter.ts";
import { readQuery } from "../../../functions/dashboard/browser/shell/page-query.ts";
import { itemOrders, itemSorts } from "../../../shared/watchlists/arrange-items.ts";

describe("the query in the URL of a dashboard page", () => {
  it("is parsed to its valid values, and every other parameter is reported with the reason", () => {
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

  it("cannot set a filter named 'constructor', which every JavaScript object inherits", () => {
    const { values, ignored } = readQuery(new URLSearchParams("constructor=1"), {});
    expect([values, ignored.length]).toEqual([{}, 1]);
  });
});

describe("the filters of the dashboard page 'Out of stock'", () => {
  it("request the most recently changed items first, and omit a search text that is too short", () => {
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

  it("offer only sort orders that the API accepts", () => {
    for (const [value] of stockOrders) {
      const [sort, order] = value.split(" ");
      expect(itemSorts).toContain(sort);
      expect(itemOrders).toContain(order);
    }
  });
});
