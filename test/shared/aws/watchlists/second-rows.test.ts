import { randomBytes } from "node:crypto";
import {
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import { itemPages, pageContaining } from "../../../../shared/aws/watchlists/page-reader.ts";
import type { Item } from "../../../../shared/watchlists/item.ts";
import type { StoredPage } from "../../../../shared/watchlists/page.ts";
import type { PageStore, WatchlistRef } from "../../../../shared/watchlists/page-store.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { clock, itemsOf, numbered, type PageWorld, random, startPageWorld } from "./page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

/** New items compress so well that a page of them is hardly longer than one of its items. */
const apart = { writesSecondRows: true, secondRowShareMax: 10, secondRowBytesMin: 0 };

/** Opens a watchlist of `count` items, whose page already has a second row. */
async function openWithSecondRow(count: number): Promise<WatchlistRef> {
  const list = await world.open(itemsOf(numbered(count)));
  const page = await pageAt(list);
  await world.store(world.client, apart).replaceItems(list, page, []);
  return list;
}

async function pageAt(
  { watchlistId }: WatchlistRef,
  store: PageStore = world.store(),
): Promise<StoredPage> {
  for await (const page of store.pages(watchlistId)) return page;
  throw new Error("The watchlist has no page");
}

/** Returns the item after another change, with a value that does not compress. */
const moved = (item: Item): Item => ({
  ...item,
  revision: item.revision + 1,
  buyboxOfferId: randomBytes(60).toString("base64"),
});

/** Changes the item at position `n` of the first page. */
async function changeItem(store: PageStore, list: WatchlistRef, n: number) {
  const page = await pageAt(list, store);
  return store.replaceItems(list, page, page.items.slice(n, n + 1).map(moved));
}

const revisionsOf = async (list: WatchlistRef): Promise<readonly number[]> =>
  (await pageAt(list)).items.map(({ revision }) => revision);

/** Returns the sort keys of the watchlist's rows. */
async function keysOf({ watchlistId }: WatchlistRef): Promise<readonly string[]> {
  const found = await world.client.send(
    new QueryCommand({
      TableName: world.table,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": watchlistKeys.page(watchlistId, "").pk },
    }),
  );
  return (found.Items ?? []).map(({ sk }) => String(sk));
}

/** Returns a client that records the sort keys that it writes, one entry for each request. */
function recording(): { client: DynamoDBDocumentClient; written: string[][] } {
  const written: string[][] = [];
  const client = watchedClient(world.client, (command, send) => {
    if (command instanceof PutCommand) written.push([String(command.input.Item?.["sk"])]);
    if (command instanceof TransactWriteCommand) {
      written.push(
        (command.input.TransactItems ?? []).map(({ Put, Update, Delete }) =>
          String(Put?.Item?.["sk"] ?? Update?.Key?.["sk"] ?? Delete?.Key?.["sk"]),
        ),
      );
    }
    return send();
  });
  return { client, written };
}

describe("a store that writes second rows of pages", () => {
  it("writes only the row with the changed items, with all items that have changed since the page was written", async () => {
    const list = await openWithSecondRow(50);
    const { client, written } = recording();
    const store = world.store(client, apart);

    expect(await changeItem(store, list, 1)).toBe("replaced");
    expect(await changeItem(store, list, 3)).toBe("replaced");
    expect(await changeItem(store, list, 1)).toBe("replaced");

    expect(written).toEqual([["page#!"], ["page#!"], ["page#!"]]);
    expect((await revisionsOf(list)).slice(0, 5)).toEqual([0, 2, 0, 1, 0]);
    expect((await pageAt(list)).secondRow?.items).toHaveLength(2);
  });

  it("writes the whole page if the changed items exceed their share of it", async () => {
    const list = await openWithSecondRow(20);
    const { client, written } = recording();
    const store = world.store(client, { ...apart, secondRowShareMax: 1 });

    for (let n = 0; n < 20; n += 1) await changeItem(store, list, n);

    expect(written).toHaveLength(20);
    const kinds = new Set(written.map((keys) => keys.join()));
    expect(kinds).toEqual(new Set(["page#,page#!", "page#!"]));
    expect(await revisionsOf(list)).toEqual(Array(20).fill(1));
  });

  it("writes the whole page and the counters if a state gets another number of items", async () => {
    const list = await openWithSecondRow(50);
    const { client, written } = recording();
    const page = await pageAt(list);
    const [first] = page.items;
    if (first === undefined) throw new Error("The page has no item");
    const changed: Item[] = [{ ...first, state: "active" }];

    expect(await world.store(client, apart).replaceItems(list, page, changed)).toBe("replaced");

    expect(written).toEqual([["page#", "page#!", `watchlist#${list.watchlistId}`]]);
    expect((await world.counters(list))?.counts).toEqual({ new: 49, active: 1, delisted: 0 });
  });

  it("adds a second row to a page at the first change that fits into it", async () => {
    const list = await world.open(itemsOf(numbered(50)));

    expect(await changeItem(world.store(world.client, apart), list, 0)).toBe("replaced");

    expect(await keysOf(list)).toEqual(["page#", "page#!"]);
    expect((await pageAt(list)).secondRow?.items).toEqual([]);
  });

  it("makes plain writes of a page, and removes its second row, while its changes do not fit into one", async () => {
    const list = await openWithSecondRow(20);
    const { client, written } = recording();
    const store = world.store(client, { ...apart, secondRowShareMax: 0.1 });

    for (let n = 0; n < 3; n += 1) await changeItem(store, list, n);

    expect(written).toEqual([["page#", "page#!"], ["page#"], ["page#"]]);
    expect(await keysOf(list)).toEqual(["page#"]);
  });

  it("adds 50,000 items to one page in a transaction that DynamoDB accepts", async () => {
    const list = await openWithSecondRow(1);
    const { client, written } = recording();
    const page = await pageAt(list);

    expect(await world.store(client, apart).replace(list, [page], itemsOf(numbered(50_000)))).toBe(
      "replaced",
    );

    expect(written.map((keys) => keys.length)).toEqual([52]);
    expect((await world.counters(list))?.total).toBe(50_000);
  });

  it("writes nothing if another process has changed another item of the page", async () => {
    const list = await openWithSecondRow(50);
    const store = world.store(world.client, apart);
    const page = await pageAt(list);

    expect(await changeItem(store, list, 1)).toBe("replaced");

    expect(await store.replaceItems(list, page, page.items.slice(0, 1).map(moved))).toBe("stale");
    expect(await store.replaceItems(list, page, page.items.map(moved))).toBe("stale");
    expect(await store.replace(list, [page], page.items.slice(1))).toBe("stale");
    expect((await revisionsOf(list)).slice(0, 3)).toEqual([0, 1, 0]);
  });

  it("succeeds if the SDK repeats the write after a lost response", async () => {
    const list = await openWithSecondRow(50);
    const client = watchedClient(world.client, async (command, send) => {
      if (command instanceof PutCommand) await send();
      return send();
    });

    expect(await changeItem(world.store(client, apart), list, 1)).toBe("replaced");
    expect((await revisionsOf(list)).slice(0, 3)).toEqual([0, 1, 0]);
  });

  it("does not change a page of a deleted watchlist", async () => {
    const list = await openWithSecondRow(50);
    const store = world.store(world.client, apart);
    const page = await pageAt(list);
    await world.removeList(list);
    await store.removeAll(list.watchlistId);

    expect(await store.replaceItems(list, page, page.items.slice(0, 1).map(moved))).toBe("stale");
    expect(await keysOf(list)).toEqual([]);
  });

  it("reads pages with second rows in as many requests as other pages", async () => {
    const count = async (writesSecondRows: boolean) => {
      const options = { writesSecondRows, itemsMax: 10 };
      const list = await world.open(itemsOf(numbered(200)), options);
      const writer = world.store(world.client, options);
      for await (const page of writer.pages(list.watchlistId)) {
        await writer.replaceItems(list, page, []);
      }
      let requests = 0;
      const client = watchedClient(world.client, (_, send) => {
        requests += 1;
        return send();
      });
      const store = world.store(client, options);
      expect(await Array.fromAsync(store.pages(list.watchlistId))).toHaveLength(20);
      return requests;
    };

    expect(await count(true)).toBe(await count(false));
  });
});

describe("a store that does not write second rows", () => {
  it("reads pages with changed items, and replaces both rows of a page by one", async () => {
    const list = await openWithSecondRow(50);
    await changeItem(world.store(world.client, apart), list, 1);
    const store = world.store();

    expect(await changeItem(store, list, 2)).toBe("replaced");

    expect((await revisionsOf(list)).slice(0, 4)).toEqual([0, 1, 1, 0]);
    expect(await keysOf(list)).toEqual(["page#"]);
  });

  it("finds the page of an ID if the page has changed items", async () => {
    const list = await openWithSecondRow(50);
    const table = { client: world.client, table: world.table, clock, random };
    const wanted = { watchlistId: list.watchlistId, id: "1000010" };

    const page = await pageContaining(table, itemPages(false), wanted);

    expect(page?.items).toHaveLength(50);
  });

  it("merges a page that shrinks with a neighbor that has changed items", async () => {
    const bounds = { itemsMax: 4, mergeItemsMax: 4 };
    const list = await world.open(itemsOf(numbered(8)), bounds);
    const next = world.store(world.client, { ...bounds, ...apart, secondRowShareMax: 10 });
    for await (const page of next.pages(list.watchlistId)) {
      await next.replaceItems(list, page, []);
    }
    for await (const page of next.pages(list.watchlistId)) {
      await next.replaceItems(list, page, page.items.slice(0, 1).map(moved));
    }
    const store = world.store(world.client, bounds);
    const [first, second] = await Array.fromAsync(store.pages(list.watchlistId));
    if (first === undefined || second === undefined) throw new Error("There must be two pages");
    await store.replace(list, [first], first.items.slice(0, 2));

    expect(await store.replace(list, [second], second.items.slice(0, 2))).toBe("replaced");

    expect(await keysOf(list)).toEqual(["page#"]);
    expect(await revisionsOf(list)).toEqual([1, 0, 1, 0]);
  });
});
