import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { changeItems } from "../../../shared/watchlists/change-items.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { type ItemChangeBody, parseItemChange } from "../../../shared/watchlists/items-request.ts";
import type { PageBounds } from "../../../shared/watchlists/page.ts";
import type { WatchlistRef, PageStore } from "../../../shared/watchlists/page-store.ts";
import { presentItemChange } from "../../../shared/watchlists/present-item.ts";
import {
  random,
  clock,
  itemsOf,
  numbered,
  type PageWorld,
  startPageWorld,
} from "../aws/watchlists/page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

const now = new Date("2026-03-01T12:00:00.000Z");

async function change(
  list: WatchlistRef,
  body: ItemChangeBody,
  options: { readonly pages?: PageStore; readonly bounds?: Partial<PageBounds> } = {},
) {
  const watchlist = await world.watchlist(list);
  if (watchlist === undefined) throw new Error("The list is there");
  const pages = options.pages ?? world.store(world.client, options.bounds);
  const watchlists = { get: () => world.watchlist(list) };
  const wanted = parseItemChange("retailer_d", body);
  return changeItems({ watchlist, change: wanted, now }, { pages, watchlists, clock, random });
}

const items = async (list: WatchlistRef): Promise<Item[]> =>
  (await world.rows(list)).flatMap((row) => row.items);

const delisted = (item: Item): Item => ({
  ...item,
  state: "delisted",
  delistedAt: "2026-02-02T00:00:00.000Z",
  readings: { standard: { price: 5 } },
  owes: [{ step: "check", scraper: "retailer_d.standard" }],
  revision: 7,
});

describe("a change of a watchlist's items", () => {
  it("counts each ID once, by its outcome", async () => {
    const all = itemsOf(["10001", "10002", "10003", "10004"]);
    const list = await world.open(all.map((item) => (item.id === "10003" ? delisted(item) : item)));
    const changed = await change(list, {
      add: ["10002", "10003", "10005", "10006"],
      remove: ["10001", "10002", "10009"],
    });
    expect(presentItemChange("watchlist_items", changed)).toEqual({
      object: "watchlist_items",
      watchlist_id: list.watchlistId,
      added: 3,
      reactivated: 1,
      updated: 0,
      unchanged: 0,
      removed: 2,
      missing: 1,
      item_count: 5,
      items_by_state: { new: 5, active: 0, delisted: 0 },
      asin_count: 5,
      asins_by_state: { new: 5, active: 0, delisted: 0 },
    });
    expect(await change(list, { add: ["10004"], remove: ["10001"] })).toMatchObject({
      tally: { added: 0, reactivated: 0, unchanged: 1, removed: 0, missing: 1 },
    });
  });

  it("resets an item that it adds again, except its revision", async () => {
    const list = await world.open(itemsOf(["10001", "10002"]).map(delisted));
    await change(list, { add: ["10001", "10002"], remove: ["10002"] });
    const fresh = ["10001", "10002"].map((id) =>
      Object.assign(newItem(id, now.toISOString()), { revision: 7 }),
    );
    expect(await items(list)).toEqual(fresh);
  });

  it("resets a delisted item that it adds again, even if it contains no other ID", async () => {
    const list = await world.open(itemsOf(["10001", "10002"]).map(delisted));
    const { tally, watchlist } = await change(list, { add: ["10001"] });
    expect(tally).toEqual({
      added: 0,
      reactivated: 1,
      updated: 0,
      unchanged: 0,
      removed: 0,
      missing: 0,
    });
    expect(watchlist.itemCounts).toEqual({ new: 1, active: 0, delisted: 1 });
    expect((await items(list)).map(({ state }) => state)).toEqual(["new", "delisted"]);
  });

  it("writes no page if the IDs to add are on the watchlist already", async () => {
    const list = await world.open(itemsOf(numbered(1_500)));
    const before = await world.rows(list);
    const { tally } = await change(list, { add: numbered(1_500), remove: ["99999"] });
    expect(tally).toMatchObject({ unchanged: 1_500, missing: 1 });
    expect(await world.rows(list)).toEqual(before);
  });

  it("writes only the pages whose range contains one of its IDs", async () => {
    const list = await world.open(itemsOf(numbered(5_000)));
    await change(list, { add: ["10000005"], remove: ["1003500"] });
    const versions = (await world.rows(list)).map((row) => row.version);
    // The first page was full and was split into two.
    expect(versions).toEqual([2, 2, 1, 1, 2, 1]);
  });

  it("grows a watchlist from one item to 50,000, and shrinks it to none", async () => {
    const ids = numbered(limits.watchlistItemsMax);
    const list = await world.open(itemsOf(ids.slice(0, 1)));
    const { tally, watchlist } = await change(list, { add: ids.join("\n").split("\n") });
    expect(tally).toMatchObject({ added: 49_999, unchanged: 1 });
    expect(watchlist.itemCounts).toEqual({ new: 50_000, active: 0, delisted: 0 });
    expect(await items(list)).toHaveLength(50_000);
    const emptied = await change(list, { remove: ids });
    expect(emptied.tally.removed).toBe(50_000);
    expect(await world.rows(list)).toMatchObject([{ lowest: "", upper: null, items: [] }]);
    expect((await world.counters(list))?.total).toBe(0);
  });
});

describe("a full watchlist", () => {
  const ids = numbered(limits.watchlistItemsMax);

  it("refuses a change that adds one item too many, states how many fit, and applies nothing", async () => {
    const list = await world.open(itemsOf(ids));
    const before = await world.rows(list);
    await expect(
      change(list, { add: ["20001", "20002", "20003"], remove: ["1000000", "99999"] }),
    ).rejects.toMatchObject({
      code: "INVALID_PARAM",
      details: { param: "add" },
      message: expect.stringContaining("room for 1 more, but 'add' has 3 ") as string,
    });
    expect(await world.rows(list)).toEqual(before);
    expect(await world.counters(list)).toMatchObject({ total: 50_000 });
  });

  it("accepts a change that adds as many items as it removes, on any pages", async () => {
    const list = await world.open(itemsOf(ids));
    const add = ["10001", "10002", "1000007"];
    const { tally, watchlist } = await change(list, { add, remove: ["1049998", "1049999"] });
    expect(tally).toMatchObject({ added: 2, unchanged: 1, removed: 2 });
    expect(watchlist.itemCounts.new).toBe(50_000);
  });

  it("counts each ID of a change once: as added, unchanged, removed or missing", async () => {
    const list = await world.open(itemsOf(ids));
    const add = ["10001", "1000007"];
    const { tally } = await change(list, { add, remove: ["99999", "1049999"] });
    expect(tally).toEqual({
      added: 1,
      reactivated: 0,
      updated: 0,
      unchanged: 1,
      removed: 1,
      missing: 1,
    });
  });

  it("refuses a change with 409 and keeps its items if every write finds it full", async () => {
    const list = await world.open(itemsOf(["10001"]));
    await expect(
      change(list, { add: ["10002", "10003"] }, { bounds: { listItemsMax: 2 } }),
    ).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await world.counters(list)).toMatchObject({ total: 1 });
  });
});

describe("an item change of a watchlist that concurrent calls fill", () => {
  const ids = numbered(limits.watchlistItemsMax - 1);
  /** A page store in which another call makes a change before the first write. */
  const preceded = (list: WatchlistRef, body: ItemChangeBody): PageStore => {
    const store = world.store();
    let met = false;
    return {
      ...store,
      async replace(...args) {
        if (!met) {
          met = true;
          await change(list, body);
        }
        return store.replace(...args);
      },
    };
  };

  it("returns 400 with the number of items that still fit if nothing was applied", async () => {
    const list = await world.open(itemsOf(ids));
    const pages = preceded(list, { add: ["20001"] });
    await expect(change(list, { add: ["20002"] }, { pages })).rejects.toMatchObject({
      code: "INVALID_PARAM",
      details: { param: "add" },
      message: expect.stringContaining("room for 0 more, but 'add' has 1 ") as string,
    });
  });

  it("returns 409 with the number of applied IDs if only some of the change was applied", async () => {
    const list = await world.open(itemsOf(ids));
    const pages = preceded(list, { add: ["20001", "20002"], remove: ["1000000"] });
    await expect(
      change(list, { add: ["20003", "20004"], remove: ["1000001", "99999"] }, { pages }),
    ).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("only a part was applied (added: 0, removed: 1)") as string,
    });
    expect(await world.counters(list)).toMatchObject({ total: 49_999 });
  });

  it("returns 404 if the watchlist is deleted before its free space is read", async () => {
    const list = await world.open(itemsOf(["10001"]));
    const pages: PageStore = {
      ...world.store(),
      async replace() {
        await world.removeList(list);
        return "full";
      },
    };
    await expect(change(list, { add: ["10002"] }, { pages })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("an item change of a watchlist that other calls write", () => {
  it("reads a changed page again and counts its IDs by the current items", async () => {
    const list = await world.open(itemsOf(["10001", "10002"]));
    const store = world.store();
    let met = false;
    const pages: PageStore = {
      ...store,
      async replace(...args) {
        if (!met) {
          met = true;
          await change(list, { add: ["10003"], remove: ["10001"] });
        }
        return store.replace(...args);
      },
    };
    const { tally } = await change(
      list,
      { add: ["10003", "10004"], remove: ["10001", "10002"] },
      { pages },
    );
    expect(tally).toMatchObject({ added: 1, unchanged: 1, removed: 1, missing: 1 });
    expect((await items(list)).map((item) => item.id)).toEqual(["10003", "10004"]);
  });

  it("returns 503 if another call changes the page before every write", async () => {
    const list = await world.open(itemsOf(["10001"]));
    const pages: PageStore = { ...world.store(), replace: async () => "stale" };
    await expect(change(list, { remove: ["10001"] }, { pages })).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
  });

  it("returns 404 if the watchlist is deleted during the change", async () => {
    const list = await world.open(itemsOf(["10001"]));
    const pages: PageStore = { ...world.store(), replace: async () => "watchlist_deleted" };
    await expect(change(list, { remove: ["10001"] }, { pages })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await world.store().removeAll(list.watchlistId);
    await expect(change(list, { remove: ["10001"] })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("returns 404 if the watchlist is deleted after the change was applied", async () => {
    const list = await world.open(itemsOf(["10001"]));
    const store = world.store();
    const pages: PageStore = {
      ...store,
      async replace(...args) {
        const outcome = await store.replace(...args);
        await world.removeList(list);
        return outcome;
      },
    };
    await expect(change(list, { add: ["10002"] }, { pages })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("the body of an item change", () => {
  it.each([
    ["neither 'add' nor 'remove'", {}, "MISSING_PARAM", "add"],
    ["no ID to add", { add: [] }, "INVALID_PARAM", "add"],
    ["empty strings to remove", { remove: ["", " "] }, "INVALID_PARAM", "remove"],
    ["two empty arrays", { add: [], remove: [] }, "INVALID_PARAM", "add"],
    ["a malformed ID to add", { add: ["10001", "", "x1"] }, "INVALID_PARAM", "add[2]"],
    [
      "a malformed ID to remove",
      { add: ["10001"], remove: ["10001", "12"] },
      "INVALID_PARAM",
      "remove[1]",
    ],
    ["50,001 IDs to add", { add: numbered(50_001) }, "INVALID_PARAM", "add"],
  ])("is refused if it has %s", (...row) => {
    const [, body, code, param] = row;
    expect(() => parseItemChange("retailer_d", body)).toThrow(
      expect.objectContaining({ code, details: { param } }) as Error,
    );
  });

  it("is refused with the names of both fields if it has neither", () => {
    expect(() => parseItemChange("retailer_d", {})).toThrow("Send 'add', 'remove' or both.");
  });

  it("is parsed to unique, sorted and normalised IDs of the platform", () => {
    const body = { add: ["b000000002", " B000000001", "B000000002"], remove: [] };
    expect(parseItemChange("retailer_a", body)).toEqual({
      add: ["B000000001", "B000000002"],
      remove: [],
      labels: new Map(),
    });
  });
});
