import { describe, expect, it } from "vitest";
import type { WatchlistItem } from "../../../functions/dashboard/browser/api/resources.ts";
import { formatPercentChange } from "../../../functions/dashboard/browser/format/numbers.ts";
import {
  mainChangeOf,
  summaryOf,
  toneOf,
} from "../../../functions/dashboard/browser/pages/watchlists/item-values.ts";
import { itemsCsv } from "../../../functions/dashboard/browser/pages/watchlists/items-csv.ts";

type Changes = NonNullable<WatchlistItem["last_change"]>["changes"];

const changed = (changes: Changes): Pick<WatchlistItem, "last_change"> => ({
  last_change: {
    changed_at: "2026-11-27T08:00:00.000Z",
    run_id: "wlrun_1",
    run_number: 2,
    step: "check",
    scraper: "retailer_d.standard",
    tier: "standard",
    changes,
  },
});

describe("the last change of an item in the dashboard's table", () => {
  it("is the change of its price, in percent of the previous price", () => {
    const change = mainChangeOf(
      changed({ inStock: { before: true, after: false }, price: { before: 80, after: 70 } }),
    );
    expect(change).toEqual({ field: "price", before: 80, after: 70, percent: -12.5, others: 1 });
  });

  it("is the change of the first changed field if the price did not change", () => {
    expect(mainChangeOf(changed({ state: { before: "A", after: "B" } }))?.percent).toBeUndefined();
    expect(mainChangeOf(changed({ offers: { before: 0, after: 2 } }))?.percent).toBeUndefined();
    expect(mainChangeOf({ last_change: null })).toBeUndefined();
  });

  it.each([
    { field: "price", percent: -3, tone: "good" },
    { field: "newMinPrice", percent: 3, tone: "bad" },
    { field: "price", percent: 0, tone: "neutral" },
    { field: "offers", percent: 100, tone: "neutral" },
  ])(
    "in the field '$field' by $percent % is marked as '$tone' for a buyer",
    ({ field, percent, tone }) => {
      expect(toneOf({ field, percent, before: 1, after: 1, others: 0 })).toBe(tone);
    },
  );

  it("is shown with a plus or minus sign", () => {
    expect([-12.54, 5, 0].map(formatPercentChange)).toEqual(["−12.5%", "+5%", "0%"]);
  });
});

describe("the values of an item in the dashboard's table", () => {
  it("differ between an item that was never read and an item whose read found no values", () => {
    const at = "2026-11-27T08:00:00.000Z";
    const words = (snapshot: WatchlistItem["snapshot"], readAt: string | null): string =>
      summaryOf({ state: "active", snapshot, last_read_at: readAt }, "USD");
    expect(words({ price: 12.5, inStock: true }, at)).toBe("12.50 USD, in stock");
    expect(words(null, at)).toBe("no values");
    expect(words(null, null)).toBe("not read yet");
  });

  it("include the last price of a delisted item, but not the last stock of the item", () => {
    const words = (snapshot: WatchlistItem["snapshot"]): string =>
      summaryOf({ state: "delisted", snapshot, last_read_at: null }, "USD");
    expect(words({ price: 1860.99, inStock: true })).toBe("last 1,860.99 USD");
    expect(words({ inStock: true })).toBe("delisted");
  });
});

describe("the dashboard's CSV file of items", () => {
  const item = (part: Partial<WatchlistItem>): WatchlistItem => ({
    id: "9000001",
    object: "watchlist_item",
    label: null,
    metadata: {},
    title: null,
    url: null,
    image: null,
    seller_names: {},
    state: "active",
    added_at: "2026-11-01T00:00:00.000Z",
    first_read_at: null,
    last_read_at: null,
    last_read_status: null,
    consecutive_failures: 0,
    snapshot: null,
    snapshot_at: null,
    last_change: null,
    delisted_at: null,
    route_states: [],
    ...part,
  });

  it("has a column for each field that any item has, and for the last change", () => {
    const text = itemsCsv([
      item({
        label: "Kettle",
        snapshot: { price: 70 },
        ...changed({ price: { before: 80, after: 70 } }),
      }),
      item({ id: "9000002", state: "new", snapshot: { inStock: true } }),
    ]);
    expect(text.split("\r\n")).toEqual([
      "id,label,title,url,state,added_at,last_read_at,last_read_status,price,inStock,changed_at,changed_field,before,after,change_percent",
      "9000001,Kettle,,,active,2026-11-01T00:00:00.000Z,,,70,,2026-11-27T08:00:00.000Z,price,80,70,-12.5",
      "9000002,,,,new,2026-11-01T00:00:00.000Z,,,,true,,,,,",
      "",
    ]);
  });
});
