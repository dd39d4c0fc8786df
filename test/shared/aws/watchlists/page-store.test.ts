import { randomBytes } from "node:crypto";
import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import {
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { Item } from "../../../../shared/watchlists/item.ts";
import { encodeItems } from "../../../../shared/watchlists/page-codec.ts";
import type { StoredPage } from "../../../../shared/watchlists/page.ts";
import type { WatchlistRef, PageStore } from "../../../../shared/watchlists/page-store.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { itemsOf, numbered, type PageWorld, startPageWorld } from "./page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

async function read(
  store: PageStore,
  { watchlistId }: WatchlistRef,
  from = "",
): Promise<StoredPage[]> {
  const found: StoredPage[] = [];
  for await (const page of store.pages(watchlistId, { from })) found.push(page);
  return found;
}

const pageAt = async (list: WatchlistRef, from = ""): Promise<StoredPage> => {
  const [page] = await read(world.store(), list, from);
  if (page === undefined) throw new Error("The watchlist has no page");
  return page;
};

/** Returns a client that counts its requests by kind. */
function counting(): { client: DynamoDBDocumentClient; sent: Record<string, number> } {
  const sent: Record<string, number> = {};
  const client = watchedClient(world.client, (command, send) => {
    const name = command.constructor.name;
    sent[name] = (sent[name] ?? 0) + 1;
    return send();
  });
  return { client, sent };
}

/** Returns a client that sends the first write twice, as the SDK does after a lost response. */
const repeating = (): DynamoDBDocumentClient => {
  let repeated = false;
  return watchedClient(world.client, async (command, send) => {
    const isWrite = command instanceof PutCommand || command instanceof TransactWriteCommand;
    if (!isWrite || repeated) return send();
    repeated = true;
    await send();
    return send();
  });
};

const moved = (item: Item): Item => ({ ...item, revision: item.revision + 1 });
const active = (item: Item): Item => ({ ...item, state: "active" });

describe("creating the pages of a watchlist", () => {
  it("makes 50 writes for 50,000 items", async () => {
    const { client, sent } = counting();
    await world.store(client).create("wl_large", itemsOf(numbered(50_000)));
    expect(sent).toEqual({ PutCommand: 50 });
    const list = { accountId: "acct_1", watchlistId: "wl_large" };
    const rows = await world.rows(list);
    expect(rows.flatMap((row) => row.items.map((item) => item.id))).toEqual(numbered(50_000));
    const pages = await read(world.store(client), list);
    expect(pages).toHaveLength(50);
    expect(sent).toEqual({ PutCommand: 50, QueryCommand: 6 });
  });

  it("starts no further write of a page after a write has failed", async () => {
    let puts = 0;
    const client = watchedClient(world.client, (command, send) => {
      if (!(command instanceof PutCommand)) return send();
      puts += 1;
      return puts === 1 ? Promise.reject(new Error("refused")) : send();
    });
    const created = world.store(client).create("wl_refused", itemsOf(numbered(50_000)));
    await expect(created).rejects.toThrow("refused");
    // The store writes ten pages at a time, and starts no further writes after the failure.
    expect(puts).toBe(10);
  });

  it("waits for all started writes before it reports a failure", async () => {
    const list = { accountId: "acct_1", watchlistId: "wl_failed" };
    let isFirst = true;
    const client = watchedClient(world.client, async (command, send) => {
      if (!(command instanceof PutCommand)) return send();
      if (isFirst) {
        isFirst = false;
        throw new Error("refused");
      }
      // Delays this write, so that it ends after the write that fails.
      for (let looks = 0; looks < 5; looks += 1) await world.rows(list);
      return send();
    });
    const created = world.store(client).create(list.watchlistId, itemsOf(numbered(3_000)));
    await expect(created).rejects.toThrow("refused");
    const atTheFailure = await world.rows(list);
    expect(atTheFailure).toHaveLength(2);
    await world.store().removeAll(list.watchlistId);
    expect(await world.rows(list)).toEqual([]);
  });

  it("does not change existing pages when the creation is repeated late", async () => {
    const items = itemsOf(numbered(3));
    const list = await world.open(items);
    await world.store().replaceItems(list, await pageAt(list), items.map(moved));
    await world.store().create(list.watchlistId, items);
    expect((await pageAt(list)).items).toEqual(items.map(moved));
  });
});

describe("replacing some items of a page of a watchlist", () => {
  const changedIn = async (list: WatchlistRef, change: (item: Item) => Item) => {
    const page = await pageAt(list);
    const [first] = page.items;
    return { page, changed: first === undefined ? [] : [change(first)] };
  };

  it("makes one plain write if each state keeps its number of items", async () => {
    const list = await world.open(itemsOf(numbered(5)));
    const { client, sent } = counting();
    const { page, changed } = await changedIn(list, moved);
    expect(await world.store(client).replaceItems(list, page, changed)).toBe("replaced");
    expect(sent).toEqual({ PutCommand: 1 });
    expect((await pageAt(list)).items).toEqual([...changed, ...page.items.slice(1)]);
  });

  it("adds the change of each state's item count to the counts of the watchlist, in the same transaction", async () => {
    const list = await world.open(itemsOf(numbered(5)));
    const { client, sent } = counting();
    const { page, changed } = await changedIn(list, active);
    expect(await world.store(client).replaceItems(list, page, changed)).toBe("replaced");
    expect(sent).toEqual({ TransactWriteCommand: 1 });
    const counts = { new: 4, active: 1, delisted: 0 };
    expect(await world.counters(list)).toEqual({ counts, total: 5 });
    const [row] = await world.rows(list);
    expect(row?.counts).toEqual(counts);
  });

  it("splits the page if the changed items do not fit into it", async () => {
    const list = await world.open(itemsOf(numbered(4)));
    const { page, changed } = await changedIn(list, moved);
    const store = world.store(world.client, { itemsMax: 2 });
    expect(await store.replaceItems(list, page, changed)).toBe("replaced");
    const rows = await world.rows(list);
    expect(rows.map(({ items }) => items.length)).toEqual([2, 2]);
    expect(rows.flatMap(({ items }) => items)).toEqual([...changed, ...page.items.slice(1)]);
  });

  it("writes nothing if another writer has changed the page since the caller read it", async () => {
    const list = await world.open(itemsOf(numbered(3)));
    const { page, changed } = await changedIn(list, moved);
    const theirs = page.items.map(moved).map(moved);
    expect(await world.store().replaceItems(list, page, theirs)).toBe("replaced");
    expect(await world.store().replaceItems(list, page, changed)).toBe("stale");
    expect((await pageAt(list)).items).toEqual(theirs);
  });
});

describe("replacing a page of a watchlist", () => {
  it("makes one plain write, and does not write the watchlist's row, if each state keeps its number of items", async () => {
    const list = await world.open(itemsOf(numbered(5)));
    const { client, sent } = counting();
    const page = await pageAt(list);
    const outcome = await world.store(client).replaceItems(list, page, page.items.map(moved));
    expect(outcome).toBe("replaced");
    expect(sent).toEqual({ PutCommand: 1 });
  });

  it("adds the change of each state's item count to the counts of the watchlist, in the same transaction", async () => {
    const list = await world.open(itemsOf(numbered(5)));
    const page = await pageAt(list);
    const [first, ...others] = page.items;
    const { client, sent } = counting();
    const items = first === undefined ? [] : [active(first), ...others.slice(1)];
    expect(await world.store(client).replace(list, [page], items)).toBe("replaced");
    expect(sent["TransactWriteCommand"]).toBe(1);
    expect(sent["PutCommand"]).toBeUndefined();
    const counts = { new: 3, active: 1, delisted: 0 };
    expect(await world.counters(list)).toEqual({ counts, total: 4 });
  });

  it.each([
    ["a plain write", (items: readonly Item[]) => items.map(moved)],
    ["a transaction", (items: readonly Item[]) => items.map(active)],
  ])(
    "succeeds when the SDK repeats the write after a lost response (the write: %s)",
    async (_, change) => {
      const list = await world.open(itemsOf(numbered(4)));
      const page = await pageAt(list);
      const store = world.store(repeating());
      expect(await store.replaceItems(list, page, change(page.items))).toBe("replaced");
      expect((await pageAt(list)).items).toEqual(change(page.items));
      expect((await world.counters(list))?.total).toBe(4);
    },
  );

  it("succeeds without a further write when the same replacement is repeated, even if another writer changed the page in between", async () => {
    const list = await world.open(itemsOf(["10001", "10002"]));
    const page = await pageAt(list);
    let repeated = false;
    const client = watchedClient(world.client, async (command, send) => {
      if (repeated || command instanceof QueryCommand) return send();
      repeated = true;
      await send();
      const theirs = await pageAt(list);
      await world.store().replaceItems(list, theirs, theirs.items.map(moved));
      return send();
    });
    const exchanged = itemsOf(["10002", "10003"]);
    expect(await world.store(client).replace(list, [page], exchanged)).toBe("replaced");
    expect((await pageAt(list)).items).toEqual(exchanged.map(moved));
  });

  it.each([
    ["a plain write", (items: readonly Item[]) => items.map(moved)],
    ["a transaction", (items: readonly Item[]) => items.map(active)],
  ])(
    "by %s is refused as stale, and changes nothing, if another writer changed the page first",
    async (_, change) => {
      const list = await world.open(itemsOf(numbered(4)));
      const page = await pageAt(list);
      const theirs = page.items.map((item) => ({ ...item, consecutiveFailures: 3 }));
      expect(await world.store().replaceItems(list, page, theirs)).toBe("replaced");
      expect(await world.store().replaceItems(list, page, change(page.items))).toBe("stale");
      expect((await pageAt(list)).items).toEqual(theirs);
    },
  );

  it("fails for a deleted watchlist, and does not create the page again", async () => {
    const list = await world.open(itemsOf(numbered(4)));
    const page = await pageAt(list);
    const store = world.store();
    await world.removeList(list);
    expect(await store.replaceItems(list, page, page.items.map(active))).toBe("watchlist_deleted");
    await store.removeAll(list.watchlistId);
    expect(await store.replaceItems(list, page, page.items.map(active))).toBe("watchlist_deleted");
    expect(await store.replaceItems(list, page, page.items.map(moved))).toBe("stale");
    expect(await world.rows(list)).toEqual([]);
  });

  it("adds items up to the limit of the watchlist, and never more", async () => {
    const list = await world.open(itemsOf(numbered(4)));
    const page = await pageAt(list);
    const store = world.store(world.client, { watchlistItemsMax: 6 });
    expect(await store.replace(list, [page], itemsOf(numbered(7)))).toBe("full");
    expect(await world.counters(list)).toMatchObject({ total: 4 });
    expect(await store.replace(list, [page], itemsOf(numbered(6)))).toBe("replaced");
    expect(await world.counters(list)).toMatchObject({ total: 6 });
  });

  it("is repeated if its transaction conflicts with another transaction or DynamoDB reports the row as locked", async () => {
    const list = await world.open(itemsOf(numbered(4)));
    const conflicts = [
      new TransactionCanceledException({
        message: "",
        $metadata: {},
        CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }],
      }),
      new TransactionConflictException({ message: "", $metadata: {} }),
    ];
    for (const [conflict, change] of [
      [conflicts[0], active],
      [conflicts[1], moved],
    ] as const) {
      let refused = false;
      const client = watchedClient(world.client, (_, send) => {
        if (refused) return send();
        refused = true;
        return Promise.reject(conflict);
      });
      const page = await pageAt(list);
      const items = page.items.map(change);
      expect(await world.store(client).replaceItems(list, page, items)).toBe("replaced");
      expect((await pageAt(list)).items).toEqual(items);
    }
  });

  it("splits a page that has more bytes than a DynamoDB row can contain", async () => {
    const list = await world.open(itemsOf(numbered(400)));
    const page = await pageAt(list);
    const heavy = page.items.map((item) => ({
      ...item,
      readings: { standard: { offerId: randomBytes(1_500).toString("base64") } },
    }));
    expect(await world.store().replaceItems(list, page, heavy)).toBe("replaced");
    const rows = await world.rows(list);
    expect(rows.length).toBeGreaterThan(2);
    expect(Math.max(...rows.map((row) => row.bytes))).toBeLessThanOrEqual(limits.pageBytesMax);
    expect(rows.flatMap((row) => row.items)).toEqual(heavy);
  });

  it("fails if, after the caller read the page, the page was merged and another page was split at the same bound", async () => {
    const bounds = { itemsMax: 3, mergeItemsMax: 3 };
    const store = world.store(world.client, bounds);
    const list = await world.open(itemsOf(["1", "2", "3", "4", "5", "6"]), bounds);
    const [first, second] = (await read(store, list)) as [StoredPage, StoredPage];
    expect(second.lowest).toBe("4");
    // The second page is written several times, so that its version is higher than the version of
    // the first page.
    let held = second;
    for (let n = 0; n < 3; n += 1) {
      await store.replaceItems(list, held, held.items.map(moved));
      held = (await read(store, list, "4"))[0] as StoredPage;
    }
    expect(await store.replace(list, [first], first.items.slice(0, 1))).toBe("replaced");
    expect(await store.replace(list, [held], held.items.slice(0, 1))).toBe("replaced");
    const [merged, ...none] = await read(store, list);
    expect(none).toEqual([]);
    expect(merged?.items.map((item) => item.id)).toEqual(["1", "4"]);
    const again = itemsOf(["1", "2", "3", "4", "5", "6"]);
    expect(await store.replace(list, [merged as StoredPage], again)).toBe("replaced");
    expect((await world.rows(list)).map((row) => row.lowest)).toEqual(["", "4"]);
    expect(await store.replace(list, [held], [])).toBe("stale");
    expect(await store.replaceItems(list, held, held.items.map(moved))).toBe("stale");
  });
});

describe("watchlist pages that shrink", () => {
  const bounds = { itemsMax: 4, mergeItemsMax: 2 };
  const open = async (...sizes: number[]) => {
    const list = await world.open(itemsOf(numbered(12)), bounds);
    const store = world.store(world.client, bounds);
    for (const [n, size] of sizes.entries()) {
      const [page] = await read(store, list, String(1_000_000 + 4 * n));
      if (page === undefined || size === 4) continue;
      await store.replace(list, [page], page.items.slice(0, size));
    }
    return { list, store };
  };
  const sizes = async (list: WatchlistRef) =>
    (await world.rows(list)).map((row) => row.items.length);

  it.each([
    ["merge with the left neighbor if together they have few items", [1, 4, 4], 1, 1, [2, 4]],
    ["merge with the right neighbor if only this one has few items", [4, 4, 1], 1, 1, [4, 2]],
    [
      "do not merge with a neighbor if together they have too many items",
      [2, 4, 4],
      1,
      1,
      [2, 1, 4],
    ],
    ["merge with a full neighbor if they become empty", [4, 4, 4], 1, 0, [4, 4]],
    ["merge with a full neighbor if the first page becomes empty", [4, 4, 4], 0, 0, [4, 4]],
  ] as const)("follow the rule that they %s", async (...[, before, at, left, after]) => {
    const { list, store } = await open(...before);
    const [page] = await read(store, list, String(1_000_000 + 4 * at));
    expect(await store.replace(list, [page as StoredPage], page?.items.slice(0, left) ?? [])).toBe(
      "replaced",
    );
    expect(await sizes(list)).toEqual(after);
    const rows = await world.rows(list);
    expect(rows[0]?.lowest).toBe("");
    expect(rows.map((row) => row.upper)).toEqual([...rows.slice(1).map((row) => row.lowest), null]);
  });
});

describe("reading the pages of a watchlist", () => {
  it("reads only one row if the caller stops after the first page, and decodes only pages that the caller uses", async () => {
    const list = await world.open(itemsOf(numbered(3_000)));
    const { client, sent } = counting();
    for await (const page of world.store(client).pages(list.watchlistId)) {
      expect(page.counts).toEqual({ new: 1_000, active: 0, delisted: 0 });
      break;
    }
    expect(sent).toEqual({ QueryCommand: 1 });
  });

  it("returns exactly the pages that overlap a range", async () => {
    const list = await world.open(itemsOf(numbered(3_000)));
    const found: string[] = [];
    const range = { from: "1000999", to: "1001000" };
    for await (const page of world.store().pages(list.watchlistId, range)) found.push(page.lowest);
    expect(found).toEqual(["", "1001000"]);
  });

  it("is repeated if the read returns only a part of a transaction, and therefore no page for an ID", async () => {
    const list = await world.open(itemsOf(numbered(3_000)));
    let hidden = 2;
    const client = watchedClient(world.client, async (command, send) => {
      const answer = await send();
      if (!(command instanceof QueryCommand) || hidden === 0) return answer;
      hidden -= 1;
      const key = watchlistKeys.page(list.watchlistId, "");
      const lower = { ...key, upper: "1001000", items: encodeItems([]) };
      return { Items: [lower] };
    });
    const pages = await read(world.store(client), list, "1002500");
    expect(pages.map((page) => page.lowest)).toEqual(["1002000"]);
    expect(hidden).toBe(0);
  });
});

describe("removing all pages of a watchlist", () => {
  it("leaves no page, even if DynamoDB at first processes only a part of a batch", async () => {
    const list = await world.open(itemsOf(numbered(60)), { itemsMax: 1 });
    let left = 0;
    const client = watchedClient(world.client, async (command, send) => {
      if (!(command instanceof BatchWriteCommand) || left > 2) return send();
      left += 1;
      return { UnprocessedItems: command.input.RequestItems };
    });
    await world.store(client).removeAll(list.watchlistId);
    expect(await world.rows(list)).toEqual([]);
    expect(await read(world.store(), list)).toEqual([]);
    await world.store().removeAll(list.watchlistId);
  });
});
