import { safeParse } from "valibot";
import { beforeAll, describe, expect, it } from "vitest";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { type ItemQuery, listItems } from "../../../shared/watchlists/list-items.ts";
import type { PageStore } from "../../../shared/watchlists/page-store.ts";
import { presentItem } from "../../../shared/watchlists/present-item.ts";
import { watchlistItemSchema } from "../../../shared/watchlists/watchlist-schema.ts";
import { addedAt, itemsOf, type PageWorld, startPageWorld } from "../aws/watchlists/page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

const t = (hour: number): string => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();
const changedAt = (at: string): Item["lastChange"] => ({
  changedAt: at,
  runId: "wlrun_1",
  runNumber: 3,
  step: "check",
  scraper: "retailer_a.lite",
  changes: { price: { before: 1, after: 2 } },
});

/**
 * Returns an item as the tests store it. Items 10, 20 and 30 changed at 1, 2 and 3 o'clock. Item 20
 * was delisted at 5 o'clock. Items 40 to 60 are active and unchanged. Items 70 and 80 are new.
 */
const asStored = (item: Item): Item => {
  const n = Number(item.id) / 10;
  if (n > 6) return item;
  if (n > 3) return { ...item, state: "active" };
  const changed: Item = { ...item, state: "active", lastChange: changedAt(t(n)) };
  return n === 2 ? { ...changed, state: "delisted", delistedAt: t(5) } : changed;
};
const stored = itemsOf(["10", "20", "30", "40", "50", "60", "70", "80"]).map(asStored);
const bounds = { itemsMax: 2 };

/** Returns the IDs of a listing, and the number of stored pages that were decoded for it. */
async function list(query: Partial<ItemQuery>) {
  const { watchlistId } = await world.open(stored, bounds);
  let decoded = 0;
  const store = world.store();
  const pages: Pick<PageStore, "details" | "pages"> = {
    details: (...args) => store.details(...args),
    async *pages(...args) {
      for await (const page of store.pages(...args)) {
        yield {
          ...page,
          get items() {
            decoded += 1;
            return page.items;
          },
        };
      }
    },
  };
  const wanted = { startingAfter: undefined, state: undefined, changedSince: undefined };
  const found = await listItems(watchlistId, { limit: 100, ...wanted, ...query }, pages);
  return { ids: found.items.map(({ item }) => item.id), hasMore: found.hasMore, decoded };
}

describe("a listing of items", () => {
  it("returns all items in ID order, and states on every page except the last that more items exist", async () => {
    expect(await list({ limit: 3 })).toMatchObject({ ids: ["10", "20", "30"], hasMore: true });
    expect(await list({ limit: 5, startingAfter: "30" })).toMatchObject({
      ids: ["40", "50", "60", "70", "80"],
      hasMore: false,
    });
    expect(await list({ startingAfter: "80" })).toMatchObject({ ids: [], hasMore: false });
  });

  it("starts with the next item if the given ID is not on the watchlist", async () => {
    expect((await list({ startingAfter: "65" })).ids).toEqual(["70", "80"]);
    expect((await list({ startingAfter: "0" })).ids).toHaveLength(8);
  });

  it("filtered by ID prefix returns only items with this prefix, and decodes only pages that can contain such IDs", async () => {
    expect(await list({ idPrefix: "4" })).toMatchObject({ ids: ["40"], decoded: 1 });
    expect((await list({ idPrefix: "40" })).ids).toEqual(["40"]);
    expect((await list({ idPrefix: "400" })).ids).toEqual([]);
    expect((await list({ idPrefix: "4", startingAfter: "40" })).ids).toEqual([]);
    expect((await list({ idPrefix: "4", startingAfter: "10" })).ids).toEqual(["40"]);
  });

  it("filtered by state decodes only pages with an item in this state", async () => {
    expect(await list({ state: "new" })).toMatchObject({ ids: ["70", "80"], decoded: 1 });
    expect(await list({ state: "delisted" })).toMatchObject({ ids: ["20"], decoded: 1 });
  });

  it("limited to changes since a time returns only items that were changed or delisted at that time or later", async () => {
    expect(await list({ changedSince: new Date(t(3)) })).toMatchObject({
      ids: ["20", "30"],
      decoded: 2,
    });
    expect((await list({ changedSince: new Date(t(5)) })).ids).toEqual(["20"]);
    expect(await list({ changedSince: new Date(t(6)) })).toMatchObject({ ids: [], decoded: 0 });
    expect((await list({ changedSince: new Date(t(1)), state: "active" })).ids).toEqual([
      "10",
      "30",
    ]);
  });
});

describe("API responses with an item", () => {
  const item: Item = {
    ...newItem("B000000001", addedAt),
    state: "active",
    readings: { product: { price: 2, newCount: 1 }, pulse: { newCount: 3 } },
    lastChange: changedAt(t(1)),
    owes: [{ step: "lite", scraper: "retailer_a.lite" }],
    revision: 12,
  };
  const unread = { details: undefined, lastReadAt: null };

  it("combine all readings of the item into one snapshot, and contain the tier of the item's last change", () => {
    const wire = presentItem(item, "retailer_a", unread);
    expect(wire["snapshot"]).toEqual({ price: 2, newCount: 3 });
    expect(wire["last_change"]).toMatchObject({ scraper: "retailer_a.lite", tier: "lite" });
    expect(safeParse(watchlistItemSchema, wire).success).toBe(true);
  });

  it("have the item ID as 'asin' on retailer_a, and on no other platform", () => {
    expect(presentItem(item, "retailer_a", unread)["asin"]).toBe("B000000001");
    expect(presentItem({ ...item, id: "10001" }, "retailer_d", unread)).not.toHaveProperty("asin");
  });

  it("have exactly the fields of their schema", () => {
    const names = Object.keys(presentItem(item, "retailer_d", unread));
    expect(names.toSorted()).toEqual(
      Object.keys(watchlistItemSchema.entries)
        .filter((name) => name !== "asin")
        .toSorted(),
    );
  });
});
