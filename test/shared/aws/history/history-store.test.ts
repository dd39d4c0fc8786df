import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import type { HistoryPoint, RunSegment } from "../../../../shared/history/history.ts";
import type { HistoryOwner, HistoryStore } from "../../../../shared/history/history-store.ts";
import { dynamoHistoryStore } from "../../../../shared/aws/history/history-store.ts";
import type { MergeOptions } from "../../../../shared/aws/history/merge-window.ts";
import { queryRows } from "../../../../shared/aws/table/query-rows.ts";
import { historyKeys } from "../../../../shared/aws/table/table.ts";
import { dynamoPurgeStore } from "../../../../shared/aws/watchlists/purge-store.ts";
import { dynamoWatchlistStore } from "../../../../shared/aws/watchlists/watchlist-store.ts";
import { historyStoreContract } from "../../../contracts/history-store.contract.ts";
import { aWatchlist } from "../../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { putWatchlist } from "../../../support/put-watchlist.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const tables = openTables();
const clock = fixedClock("2026-03-01T00:00:00Z");
const random = countingRandom();
let table: string;
beforeAll(async () => {
  table = await tables.create();
});

let lists = 0;
async function createList(): Promise<HistoryOwner> {
  lists += 1;
  // One watchlist per account, because the number of watchlists of an account is limited.
  const owner = { accountId: `acct_${lists}`, watchlistId: `wl_${lists}` };
  const watchlist = aWatchlist({ accountId: owner.accountId, id: owner.watchlistId });
  await putWatchlist({ client: tables.client, table, clock, random }, watchlist, []);
  return owner;
}

async function removeList(list: HistoryOwner): Promise<void> {
  const options = { table, clock, random };
  await dynamoWatchlistStore(tables.client, options).remove({ ...list, purgeAt: clock.now() });
  await dynamoPurgeStore(tables.client, options).removeRows(list.watchlistId, () => false);
}

const openStore = (options: Partial<MergeOptions> = {}): HistoryStore =>
  dynamoHistoryStore(tables.client, { table, clock, random, ...options });

historyStoreContract("dynamoHistoryStore", async () => {
  const ownClock = fixedClock("2026-03-01T00:00:00Z");
  return {
    store: openStore({ clock: ownClock }),
    clock: ownClock,
    create: createList,
    remove: removeList,
  };
});

const at = "2026-03-01T00:00:00.000Z";
const always = { since: at, until: "2099-01-01T00:00:00.000Z" };

const historyRows = ({ watchlistId }: HistoryOwner) =>
  Array.fromAsync(
    queryRows(tables.client, {
      TableName: table,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": historyKeys.head(watchlistId).pk },
      ConsistentRead: true,
    }),
  );

/**
 * Returns one history point for each of `items` items, each with a string that does not compress.
 */
function largePoints(items: number): HistoryPoint[] {
  const noise = countingRandom(7);
  const text = (): string =>
    Array.from({ length: 12 }, () => Buffer.from(noise.bytes(48)).toString("base64")).join("");
  return Array.from({ length: items }, (_, n) => ({
    id: String(10_000 + n),
    at,
    step: "check",
    status: "ok" as const,
    values: { seller: { after: text() } },
  }));
}
const segment = (runNumber: number, points: readonly HistoryPoint[]): RunSegment => ({
  runNumber,
  endedAt: at,
  points,
});

describe("a run segment that is too large for one row", () => {
  const points = largePoints(2_000);

  it("is stored in several chunks and read as one segment", async () => {
    const store = openStore();
    const list = await createList();
    await store.append(list, segment(1, points));

    const { watchlistId } = list;
    expect((await historyRows(list)).length).toBeGreaterThan(3);
    const query = { watchlistId, order: "newest_first", ...always } as const;
    expect(await Array.fromAsync(store.runs(query))).toEqual([segment(1, points)]);
    for (const { id, values } of [points.at(0), points.at(999), points.at(-1)] as HistoryPoint[]) {
      expect(await store.item({ watchlistId, itemId: id, ...always })).toMatchObject([{ values }]);
    }
  });

  it("does not count as recorded while one of its chunks is missing", async () => {
    const store = openStore();
    const list = await createList();
    await store.append(list, segment(1, points));
    const { watchlistId } = list;
    const Key = historyKeys.run(watchlistId, 1, 0);
    await tables.client.send(new DeleteCommand({ TableName: table, Key }));

    expect(await store.isRecorded(watchlistId, 1)).toBe(false);
    const query = { watchlistId, order: "oldest_first", ...always } as const;
    expect(await Array.fromAsync(store.runs(query))).toEqual([]);
    const itemId = points.at(-1)?.id ?? "";
    expect(await store.item({ watchlistId, itemId, ...always })).toEqual([]);
    const absent = new Set(Array.from({ length: 64 }, (_, n) => n + 1).slice(1));
    const merge = { window: 1, absent, isOver: () => false };
    expect(await store.merge(list, merge)).toEqual({ outcome: "missing", runs: [1] });
  });
});

describe("a repeated read of the history of a watchlist in a time span", () => {
  const day = (n: number): string => new Date(Date.parse(at) - n * 86_400_000).toISOString();
  const run = (runNumber: number, daysAgo: number): RunSegment => {
    const point = { id: "1", at: day(daysAgo), step: "check", status: "ok" as const };
    return {
      runNumber,
      endedAt: day(daysAgo),
      points: [{ ...point, values: { price: { before: 1, after: runNumber } } }],
    };
  };
  const open = async () => {
    let requests = 0;
    const client = watchedClient(tables.client, (_command, send) => {
      requests += 1;
      return send();
    });
    const store = dynamoHistoryStore(client, { table, clock, random });
    const list = await createList();
    const add = async (...runs: readonly RunSegment[]): Promise<void> => {
      for (const one of runs) await openStore().append(list, one);
    };
    /**
     * Returns the numbers of the runs since `daysAgo` days ago, newest first, and how many requests
     * the read of these runs made. `newestRun` is the number of the newest recorded run.
     */
    const read = async (daysAgo: number, newestRun: number) => {
      requests = 0;
      const span = { since: day(daysAgo), until: at, order: "newest_first" } as const;
      const query = { ...span, watchlistId: list.watchlistId, newestRun };
      const found = await Array.fromAsync(store.runs(query));
      const { newestRun: _newest, ...plain } = query;
      expect(found).toEqual(await Array.fromAsync(openStore().runs(plain)));
      return { runs: found.map(({ runNumber }) => runNumber), requests };
    };
    return { add, read };
  };

  it("makes no request to DynamoDB until a newer run is recorded", async () => {
    const { add, read } = await open();
    await add(run(1, 30), run(2, 9), run(3, 5));
    expect(await read(10, 3)).toEqual({ runs: [3, 2], requests: 1 });
    expect(await read(10, 3)).toEqual({ runs: [3, 2], requests: 0 });
    expect(await read(7, 3)).toEqual({ runs: [3], requests: 0 });
    expect(await read(10, 4)).toEqual({ runs: [3, 2], requests: 1 });
    await add(run(4, 1));
    expect(await read(10, 4)).toEqual({ runs: [4, 3, 2], requests: 1 });
    expect(await read(10, 4)).toEqual({ runs: [4, 3, 2], requests: 0 });
  });

  it("makes a new request for a longer time span", async () => {
    const { add, read } = await open();
    await add(run(1, 30), run(2, 9));
    expect(await read(10, 2)).toEqual({ runs: [2], requests: 1 });
    expect(await read(40, 2)).toEqual({ runs: [2, 1], requests: 1 });
    expect(await read(40, 2)).toEqual({ runs: [2, 1], requests: 0 });
  });

  it("makes a new request while one of the watchlist's runs is not recorded", async () => {
    const { add, read } = await open();
    await add(run(1, 9), run(3, 5));
    expect(await read(10, 3)).toEqual({ runs: [3, 1], requests: 1 });
    await add(run(2, 7));
    expect(await read(10, 3)).toEqual({ runs: [3, 2, 1], requests: 1 });
    expect(await read(10, 3)).toEqual({ runs: [3, 2, 1], requests: 0 });
  });
});

describe("a large run segment whose rows are claimed before they are written", () => {
  const points = largePoints(700);
  const query = { order: "oldest_first", ...always } as const;
  /** Opens a store that calls `before` before its first put of a claimed row. */
  const openInterrupted = (before: () => Promise<unknown>): HistoryStore => {
    let isOpen = true;
    const client = watchedClient(tables.client, async (command, send) => {
      if (isOpen && command instanceof PutCommand) {
        isOpen = false;
        await before();
      }
      return send();
    });
    return dynamoHistoryStore(client, { table, clock, random });
  };

  it("leaves no row if the watchlist is purged after the claim", async () => {
    const list = await createList();
    const store = openInterrupted(() => removeList(list));
    expect(await store.append(list, segment(1, points))).toBe("watchlist_deleted");
    expect(await historyRows(list)).toEqual([]);
  });

  it("does not count as recorded if the process dies after the claim, and can then be recorded again", async () => {
    const list = await createList();
    const { watchlistId } = list;
    const dying = openInterrupted(() => Promise.reject(new Error("died")));
    await expect(dying.append(list, segment(1, points))).rejects.toThrow("died");
    const store = openStore();
    expect(await store.isRecorded(watchlistId, 1)).toBe(false);
    expect(await Array.fromAsync(store.runs({ watchlistId, ...query }))).toEqual([]);

    expect(await store.append(list, segment(1, points))).toBe("appended");
    const stored = await Array.fromAsync(store.runs({ watchlistId, ...query }));
    expect(stored).toEqual([segment(1, points)]);
  });

  it("keeps its history points if another process claims its rows again and then dies", async () => {
    const list = await createList();
    await openStore().append(list, segment(1, points));
    const before = await historyRows(list);
    const dying = openInterrupted(() => Promise.reject(new Error("died")));
    await expect(dying.append(list, segment(1, points))).rejects.toThrow("died");
    expect(await historyRows(list)).toEqual(before);
  });
});

describe("the merge of the history points of a large window", () => {
  const points = largePoints(300);
  const absent = new Set(Array.from({ length: 64 }, (_, n) => n + 1));
  const ids = points.filter((_, n) => n % 10 === 0).map(({ id }) => id);
  const readSome = (store: HistoryStore, { watchlistId }: HistoryOwner) =>
    Promise.all(ids.map((itemId) => store.item({ watchlistId, itemId, ...always })));

  it("writes its rows in several slices, and continues after the last complete slice if its time runs out", async () => {
    const list = await createList();
    const whole = openStore();
    for (const run of [1, 2, 3]) await whole.append(list, segment(run, points));
    const before = await readSome(whole, list);

    // A slice has at most a tenth of the characters of all points.
    const sliced = openStore({ mergeCharactersMax: 75_000 });
    let checks = 0;
    const isOver = (): boolean => {
      checks += 1;
      return checks > 3;
    };
    expect(await sliced.merge(list, { window: 1, absent, isOver })).toEqual({
      outcome: "unfinished",
    });
    const rows = await historyRows(list);
    const head = rows.find(({ sk }) => sk === "head");
    expect(head).toMatchObject({ merged_windows: 0 });
    const items = rows.filter(({ sk }) => String(sk).startsWith("items#"));
    expect(items.length).toBeGreaterThan(10);
    const lastBucket = items
      .map(({ sk }) => Number(String(sk).split("#")[1]))
      .toSorted((a, b) => a - b)
      .at(-1);
    expect(lastBucket).toBeLessThan(Number(head?.["next_bucket"]));
    expect(await readSome(sliced, list)).toEqual(before);

    const rest = { window: 1, absent, isOver: () => false };
    expect(await sliced.merge(list, rest)).toEqual({ outcome: "merged" });
    expect(await readSome(whole, list)).toEqual(before);
  });

  it("writes the same rows whether the merge has one slice or several slices", async () => {
    const rowsOf = async (mergeCharactersMax?: number) => {
      const list = await createList();
      const store = openStore(mergeCharactersMax === undefined ? {} : { mergeCharactersMax });
      await store.append(list, segment(5, points));
      await store.merge(list, { window: 1, absent, isOver: () => false });
      return (await historyRows(list)).map(({ pk: _pk, ...row }) => row);
    };

    expect(await rowsOf(10_000)).toEqual(await rowsOf());
  });
});

describe("the stored rows of an item history", () => {
  it("expire only after the API stops showing their history points", async () => {
    const store = openStore();
    const list = await createList();
    await store.append(list, segment(1, largePoints(1)));
    const absent = new Set(Array.from({ length: 64 }, (_, n) => n + 1));
    await store.merge(list, { window: 1, absent, isOver: () => false });

    const ttl = Date.parse(at) / 1_000 + 403 * 86_400;
    const rows = await historyRows(list);
    expect(rows.map((row) => [row["sk"], row["ttl"]])).toEqual([
      ["head", ttl],
      [expect.stringMatching(/^items#\d{3}#00000001#0000$/u), ttl],
      ["run#000000001#0000", ttl],
    ]);
  });
});
