import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { changeItems } from "../../../shared/watchlists/change-items.ts";
import { type Item, newItem } from "../../../shared/watchlists/item.ts";
import { type ItemChangeBody, parseItemChange } from "../../../shared/watchlists/items-request.ts";
import type { PageBounds } from "../../../shared/watchlists/page.ts";
import type { WatchlistRef, PageStore } from "../../../shared/watchlists/page-store.ts";
import { presentItemChange } from "../../../shared/watchlists/present-item.ts";
import {
  addedAt,
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
  it("counts each of its IDs once, by the effect of the change on the item", async () => {
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

  it("stores its items in the order of their IDs", async () => {
    const list = await world.open(itemsOf(["10003", "10005"]));
    await change(list, { add: ["10006", "10004", "10001"], remove: ["10005"] });
    const ids = (await items(list)).map(({ id }) => id);
    expect(ids).toEqual(["10001", "10003", "10004", "10006"]);
  });

  it("resets all values of an item except its revision if the change reactivates the item, or removes and adds the item", async () => {
    const list = await world.open(itemsOf(["10001", "10002"]).map(delisted));
    await change(list, { add: ["10001", "10002"], remove: ["10002"] });
    const fresh = ["10001", "10002"].map((id) =>
      Object.assign(newItem(id, now.toISOString()), { revision: 7 }),
    );
    expect(await items(list)).toEqual(fresh);
  });

  it("resets a delisted item that the change adds again, even if the change contains no other ID", async () => {
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

  it.each([
    ["only the changed items of a page if no ID changes", ["10001", "10002"], ["replaceItems"]],
    ["all items of a page if an ID changes", ["10001", "10004"], ["replace"]],
  ])("writes %s", async (_, add, methods) => {
    const list = await world.open(itemsOf(["10001", "10002", "10003"]));
    const called: string[] = [];
    const store = world.store();
    const pages: PageStore = {
      ...store,
      replace(...args) {
        called.push("replace");
        return store.replace(...args);
      },
      replaceItems(...args) {
        called.push("replaceItems");
        expect(args[2].map(({ id }) => id)).toEqual(["10002"]);
        return store.replaceItems(...args);
      },
    };
    await change(list, { add, remove: ["10002"] }, { pages });
    expect(called).toEqual(methods);
  });

  it("writes no page if all IDs to add are already on the watchlist", async () => {
    const list = await world.open(itemsOf(numbered(1_500)));
    const before = await world.rows(list);
    const { tally } = await change(list, { add: numbered(1_500), remove: ["99999"] });
    expect(tally).toMatchObject({ unchanged: 1_500, missing: 1 });
    expect(await world.rows(list)).toEqual(before);
  });

  it("returns one set of counts for the IDs on all pages", async () => {
    const ids = numbered(2_000);
    const all = itemsOf(ids);
    const gone = new Set(["1000001", "1001998"]);
    const list = await world.open(all.map((item) => (gone.has(item.id) ? delisted(item) : item)));
    const { tally } = await change(list, {
      add: [...gone, "10000005", "10019995", "1000003", "1001996"],
      remove: ["1000002", "1001997", "10000007", "10019997"],
    });
    expect(tally).toEqual({
      added: 2,
      reactivated: 2,
      updated: 0,
      unchanged: 2,
      removed: 2,
      missing: 2,
    });
  });

  it("writes only the pages that contain one of the change's IDs", async () => {
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

  it("refuses a change that adds one item too many, and returns how many items still fit", async () => {
    const list = await world.open(itemsOf(ids));
    const before = await world.rows(list);
    await expect(
      change(list, { add: ["20001", "20002", "20003"], remove: ["1000000", "99999"] }),
    ).rejects.toMatchObject({
      code: "INVALID_PARAM",
      details: { param: "add" },
      message: expect.stringContaining(
        "'add' has 3 new IDs, but this watchlist can hold only 1 more ",
      ) as string,
    });
    expect(await world.rows(list)).toEqual(before);
    expect(await world.counters(list)).toMatchObject({ total: 50_000 });
  });

  it("accepts a change that adds as many items as it removes, even on different pages", async () => {
    const list = await world.open(itemsOf(ids));
    const add = ["10001", "10002", "1000007"];
    const { tally, watchlist } = await change(list, { add, remove: ["1049998", "1049999"] });
    expect(tally).toMatchObject({ added: 2, unchanged: 1, removed: 2 });
    expect(watchlist.itemCounts.new).toBe(50_000);
  });

  it("counts each ID of a change as added, unchanged, removed or missing", async () => {
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

  it("refuses a change with 409, and keeps its items, if the watchlist is full at every attempt to write", async () => {
    const list = await world.open(itemsOf(["10001"]));
    await expect(
      change(list, { add: ["10002", "10003"] }, { bounds: { watchlistItemsMax: 2 } }),
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
      message: expect.stringContaining(
        "'add' has 1 new ID, but this watchlist can hold only 0 more ",
      ) as string,
    });
  });

  it("returns 409 with the number of applied IDs if a part of the change was applied", async () => {
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

  it("returns 404 if the watchlist is deleted before the call reads the remaining capacity", async () => {
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

describe("an item change during other writes to the watchlist", () => {
  it("reads a page again after another call changed the page, and counts each ID by its effect on the items read last", async () => {
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

describe("an item change that sets labels", () => {
  const details = async (list: WatchlistRef) => world.store().details(list.watchlistId);
  const object = (id: string, label: string | null) => ({ id, label });

  it("stores the label of an added, a reactivated and an unchanged item", async () => {
    const [first, second] = itemsOf(["10001", "10002"]);
    const list = await world.open([first!, delisted(second!)]);
    const add = ["10001", "10002", "10003"].map((id) => object(id, `Label ${id}`));
    const { tally } = await change(list, { add });
    expect(tally).toEqual({
      added: 1,
      reactivated: 1,
      updated: 1,
      unchanged: 0,
      removed: 0,
      missing: 0,
    });
    expect([...(await details(list)).values()].map(({ id, label }) => [id, label])).toEqual([
      ["10001", "Label 10001"],
      ["10002", "Label 10002"],
      ["10003", "Label 10003"],
    ]);
  });

  it("counts an item as updated only if the label of the item changes", async () => {
    const list = await world.open(itemsOf(["10001", "10002"]));
    await change(list, { add: [object("10001", "Kettle"), object("10002", "Lamp")] });
    const { tally } = await change(list, {
      add: [object("10001", "Kettle"), object("10002", "Desk lamp"), "10003"],
    });
    expect(tally).toMatchObject({ added: 1, updated: 1, unchanged: 1 });
  });

  it("stores the label and the time at which the item was added", async () => {
    const list = await world.open(itemsOf(["10001"]));
    await change(list, { add: [object("10001", "Kettle"), object("10002", "Lamp")] });
    const found = await details(list);
    expect(found.get("10001")?.addedAt).toBe(addedAt);
    expect(found.get("10002")?.addedAt).toBe(now.toISOString());
  });

  it("keeps the label of an item that the change adds again without a label", async () => {
    const list = await world.open(itemsOf(["10001"]));
    await change(list, { add: [object("10001", "Kettle")] });
    const { tally } = await change(list, { add: ["10001"] });
    expect(tally).toMatchObject({ updated: 0, unchanged: 1 });
    expect((await details(list)).get("10001")?.label).toBe("Kettle");
  });

  it("removes the label of an item that the change removes, even if the change adds the item again", async () => {
    const list = await world.open(itemsOf(["10001", "10002", "10003"]));
    await change(list, { add: ["10001", "10002", "10003"].map((id) => object(id, "Kettle")) });
    await change(list, { add: ["10002"], remove: ["10001", "10002"] });
    expect([...(await details(list)).keys()]).toEqual(["10003"]);
  });

  it("discards the details of an item with the same ID that was removed earlier", async () => {
    const list = await world.open([]);
    const left = { id: "10001", addedAt, label: "Old", metadata: {}, facts: {}, readAt: null };
    await world.store().changeDetails(list, { ids: ["10001"], change: () => left });
    await change(list, { add: ["10001"] });
    expect(await details(list)).toEqual(new Map());
  });

  it.each([
    ["404 if the watchlist was deleted", "watchlist_deleted", "NOT_FOUND"],
    ["503 after too many conflicts", "contended", "UNAVAILABLE"],
  ] as const)("returns an error if its labels cannot be written (%s)", async (_, outcome, code) => {
    const list = await world.open(itemsOf(["10001"]));
    const pages: PageStore = { ...world.store(), changeDetails: async () => outcome };
    await expect(
      change(list, { add: [object("10001", "Kettle")] }, { pages }),
    ).rejects.toMatchObject({ code });
  });
});

describe("the pages that an item change reads before its first write", () => {
  it("include every page from the lowest to the highest ID of the change if the watchlist may become full", async () => {
    const list = await world.open(itemsOf(numbered(limits.watchlistItemsMax)));
    const store = world.store();
    const ranges: unknown[] = [];
    const pages: PageStore = {
      ...store,
      pages(id, range) {
        ranges.push(range);
        return store.pages(id, range);
      },
    };
    await change(list, { add: ["1049998"], remove: ["1000007"] }, { pages });
    expect(ranges[0]).toEqual({ from: "1000007", to: "1049998" });
  });

  it("are only the pages that the change writes if the watchlist has room for every new ID", async () => {
    const list = await world.open(itemsOf(numbered(limits.watchlistItemsMax - 1)));
    const store = world.store();
    const ranges: unknown[] = [];
    const pages: PageStore = {
      ...store,
      pages(id, range) {
        ranges.push(range);
        return store.pages(id, range);
      },
    };
    await change(list, { add: ["20001"] }, { pages });
    expect(ranges).toEqual([{ from: "20001", to: "20001" }]);
  });
});

describe("an item change that finds the watchlist full during its writes", () => {
  it("counts added and reactivated items together in its 409 error", async () => {
    const [first, ...others] = itemsOf(numbered(2_000));
    const list = await world.open([delisted(first!), ...others]);
    const store = world.store();
    let writes = 0;
    const pages: PageStore = {
      ...store,
      async replace(...args) {
        writes += 1;
        return writes === 1 ? store.replace(...args) : "full";
      },
    };
    const add = ["1000000", "10000005", "1001999", "10019995"];
    await expect(change(list, { add }, { pages })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("only a part was applied (added: 2, removed: 0)") as string,
    });
  });

  it("reports in its 409 error that nothing was applied if the watchlist is full at the first write", async () => {
    const list = await world.open(itemsOf(["10001"]));
    const pages: PageStore = { ...world.store(), replace: async () => "full" };
    await expect(change(list, { add: ["10002"] }, { pages })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("so nothing was applied") as string,
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
  ])("is refused if it is invalid: it has %s", (...row) => {
    const [, body, code, param] = row;
    expect(() => parseItemChange("retailer_d", body)).toThrow(
      expect.objectContaining({ code, details: { param } }) as Error,
    );
  });

  it("is refused with the names of 'add' and 'remove' if the body has neither", () => {
    expect(() => parseItemChange("retailer_d", {})).toThrow("Send 'add', 'remove' or both.");
  });

  it("is parsed to normalized IDs of the platform, sorted and without repetitions", () => {
    const body = { add: ["b000000002", " B000000001", "B000000002"], remove: [] };
    expect(parseItemChange("retailer_a", body)).toEqual({
      add: ["B000000001", "B000000002"],
      remove: [],
      labels: new Map(),
    });
  });
});
