import {
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import type { Changed } from "../../../../shared/base/after-change.ts";
import { decodeDetails } from "../../../../shared/watchlists/details-page.ts";
import type { ItemDetails } from "../../../../shared/watchlists/item-details.ts";
import type { WatchlistRef } from "../../../../shared/watchlists/page-store.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { addedAt, itemsOf, numbered, type PageWorld, startPageWorld } from "./page-world.ts";

let world: PageWorld;
beforeAll(async () => {
  world = await startPageWorld();
});

const labeled = (id: string, label: string): ItemDetails => ({
  id,
  addedAt,
  label,
  metadata: {},
  facts: {},
  readAt: null,
});

/** Returns the pages of a watchlist's details, as they are stored. */
async function storedPages({ watchlistId }: WatchlistRef) {
  const { pk } = watchlistKeys.detailsPage(watchlistId, "");
  const { Items = [] } = await world.client.send(
    new QueryCommand({
      TableName: world.table,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :details)",
      ExpressionAttributeValues: { ":pk": pk, ":details": "details#" },
    }),
  );
  return Items.map((row) => ({
    lowest: String(row["sk"]).slice("details#".length),
    upper: (row["upper"] as string | undefined) ?? null,
    bytes: (row["details"] as Uint8Array).byteLength,
    details: decodeDetails(row["details"] as Uint8Array).details,
  }));
}

const idsIn = (pages: Awaited<ReturnType<typeof storedPages>>): string[] =>
  pages.flatMap(({ details }) => details.map(({ id }) => id));

const setLabel = (label: string | null) => (_: ItemDetails | undefined, id: string) =>
  label === null ? undefined : labeled(id, label);

describe("the details of a watchlist's items", () => {
  it("need one read request and no stored row until a label, a title or another detail is stored", async () => {
    const list = await world.open(itemsOf(numbered(3)));
    const sent: string[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor.name);
      return send();
    });
    const store = world.store(client);
    expect(await store.details(list.watchlistId)).toEqual(new Map());
    const nothing = { ids: numbered(3), change: () => undefined };
    expect(await store.changeDetails(list, nothing)).toBe("done");
    expect(sent).toEqual(["QueryCommand", "QueryCommand"]);
    expect(await storedPages(list)).toEqual([]);
  });

  it("are returned as they were stored, even if a label looks like JSON or a metadata key is named like a member of JavaScript objects", async () => {
    const list = await world.open([]);
    const facts = {
      title: 'A "title"',
      url: "https://retailer.example/1",
      image: "https://retailer.example/1.jpg",
      sellers: { merchant: { id: "S1", name: "One" }, buyboxSeller: { id: "S2", name: "Two" } },
    };
    const full: ItemDetails = {
      ...labeled("10001", "null"),
      metadata: { constructor: 0, b: false, c: "" },
      facts,
      readAt: "2026-03-01T00:00:00.000Z",
    };
    const bare = { ...labeled("10002", "x"), label: null, facts: { title: "T" } };
    await world.store().createDetails(list.watchlistId, [full, bare]);
    const found = await world.store().details(list.watchlistId);
    expect([...found.values()]).toEqual([full, bare]);
    const part = await world.store().details(list.watchlistId, { from: "10002", to: "10009" });
    expect([...part.keys()]).toEqual(["10002"]);
  });

  it("are read for given IDs with one request for each page that contains any of these IDs", async () => {
    const list = await world.open([]);
    const ids = numbered(2_500);
    await world.store().changeDetails(list, { ids, change: (_, id) => labeled(id, `Label ${id}`) });
    const pages = await storedPages(list);
    expect(pages.length).toBeGreaterThan(2);
    let requests = 0;
    const client = watchedClient(world.client, (_, send) => {
      requests += 1;
      return send();
    });
    const store = world.store(client);
    const [first, , third] = pages.map(({ details }) => details.map(({ id }) => id));
    const wanted = [...(first ?? []).slice(0, 2), ...(third ?? []).slice(-2), "99999999"];

    const found = await store.detailsOf(list.watchlistId, wanted);
    expect(found.map(({ id, label }) => [id, label])).toEqual(
      wanted.slice(0, 4).map((id) => [id, `Label ${id}`]),
    );
    expect(requests).toBeLessThanOrEqual(3);
    expect(await store.detailsOf(list.watchlistId, [])).toEqual([]);
  });

  it("are omitted page by page if no item of the page contains all search words in its ID, label or title", async () => {
    const list = await world.open([]);
    const odd = { ...labeled("10001", 'Größe "XL" \\ 2'), facts: { title: "Blue KETTLE" } };
    await world.store().createDetails(list.watchlistId, [odd]);
    const found = async (...words: string[]): Promise<number> =>
      (await world.store().details(list.watchlistId, { words })).size;

    for (const words of [["größe", '"xl"', "\\"], ["kettle"], ["10001"], []]) {
      expect(await found(...words)).toBe(1);
    }
    expect(await found("kettle", "toaster")).toBe(0);
  });

  it("are split into pages that do not exceed the maximum number of items and bytes", async () => {
    const list = await world.open([]);
    const ids = numbered(1_500);
    const random = (id: string): string =>
      Buffer.from(id.repeat(40)).toString("base64url").slice(0, 90);
    await world.store().changeDetails(list, {
      ids,
      change: (_, id) => ({ ...labeled(id, random(id)), metadata: { a: random(`${id}a`) } }),
    });
    const pages = await storedPages(list);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every(({ bytes, details }) => bytes <= 262_144 && details.length <= 1_000)).toBe(
      true,
    );
    expect(idsIn(pages)).toEqual(ids);
    expect(pages.map(({ upper }) => upper)).toEqual([
      ...pages.slice(1).map(({ lowest }) => lowest),
      null,
    ]);
  });

  it("are read once per change, and a change writes only the pages that it affects", async () => {
    const bounds = { itemsMax: 2 };
    const list = await world.open([]);
    const ids = numbered(6);
    await world.store(world.client, bounds).changeDetails(list, { ids, change: setLabel("x") });
    const sent: string[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor.name);
      return send();
    });
    const found: (ItemDetails | undefined)[] = [];
    const change = (known: ItemDetails | undefined, id: string): Changed<ItemDetails> => {
      found.push(known);
      return id === ids[3] ? labeled(id, "y") : "unchanged";
    };
    expect(await world.store(client, bounds).changeDetails(list, { ids, change })).toBe("done");
    expect(found).toEqual(ids.map((id) => labeled(id, "x")));
    expect(sent).toEqual(["QueryCommand", "QueryCommand", "PutCommand"]);
    expect([...(await world.store().details(list.watchlistId)).values()]).toEqual(
      ids.map((id) => labeled(id, id === ids[3] ? "y" : "x")),
    );
  });

  it("are not stored, and create no row, for a watchlist that was deleted", async () => {
    const bounds = { itemsMax: 2 };
    const change = { ids: numbered(5), change: setLabel("x") };
    const unnamed = await world.open([]);
    await world.removeList(unnamed);
    const store = world.store(world.client, bounds);
    expect(await store.changeDetails(unnamed, change)).toBe("watchlist_deleted");
    expect(await storedPages(unnamed)).toEqual([]);
    const named = await world.open([]);
    await store.changeDetails(named, { ids: numbered(2), change: setLabel("x") });
    await world.removeList(named);
    expect(await store.changeDetails(named, change)).toBe("watchlist_deleted");
    expect(idsIn(await storedPages(named))).toEqual(numbered(2));
  });

  it("are written only once if the SDK repeats a write after a lost response", async () => {
    const list = await world.open([]);
    let repeated = 0;
    const client = watchedClient(world.client, async (command, send) => {
      const isWrite = command instanceof PutCommand || command instanceof TransactWriteCommand;
      if (isWrite && repeated < 2) {
        repeated += 1;
        await send();
      }
      return send();
    });
    const store = world.store(client, { itemsMax: 2 });
    await store.changeDetails(list, { ids: numbered(1), change: setLabel("a") });
    await store.changeDetails(list, { ids: numbered(5), change: setLabel("b") });
    expect(repeated).toBe(2);
    const found = await store.details(list.watchlistId);
    expect([...found.values()]).toEqual(numbered(5).map((id) => labeled(id, "b")));
  });
});

const pool = numbered(12);
const someIds = fc.subarray(pool, { minLength: 1 });

/** Returns a client whose requests wait for the scheduler. */
const scheduled = (scheduler: fc.Scheduler): DynamoDBDocumentClient =>
  watchedClient(world.client, async (_, send) => {
    await scheduler.schedule(Promise.resolve());
    return send();
  });

it("the stored details of each item equal the details in its last change, for any interleaving of changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.array(someIds, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      async (scheduler, processes) => {
        const list = await world.open([]);
        // Each change adds 1 to the label, so a lost change makes the final label too low.
        const change = (before: ItemDetails | undefined, id: string): ItemDetails =>
          labeled(id, String(Number(before?.label ?? 0) + 1));
        const store = world.store(scheduled(scheduler), { itemsMax: 3, bytesMax: 400 });
        const ended = processes.map(async (operations) => {
          for (const ids of operations) await store.changeDetails(list, { ids, change });
        });
        await scheduler.waitFor(Promise.all(ended));
        const counts = new Map<string, number>();
        for (const id of processes.flat(2)) {
          counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        const found = await world.store().details(list.watchlistId);
        expect(new Map([...found].map(([id, { label }]) => [id, Number(label)]))).toEqual(
          new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
        );
      },
    ),
    { numRuns: 30 },
  );
});
