import { beforeEach, describe, expect, it } from "vitest";
import { dynamoIdempotencyStore } from "../../../../shared/aws/watchlists/idempotency-store.ts";
import { dynamoPurgeStore } from "../../../../shared/aws/watchlists/purge-store.ts";
import { dynamoWatchlistStore } from "../../../../shared/aws/watchlists/watchlist-store.ts";
import { limits } from "../../../../shared/base/limits.ts";
import { defaultPipeline } from "../../../../shared/pipelines/default.ts";
import type {
  IdempotencyRecord,
  IdempotencyStore,
} from "../../../../shared/watchlists/idempotency.ts";
import type { PurgeStore } from "../../../../shared/watchlists/purge-store.ts";
import type { Watchlist } from "../../../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../../../shared/watchlists/watchlist-store.ts";
import { aWatchlist } from "../../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const now = new Date("2026-03-01T00:00:00.000Z");
const purgeAt = new Date("2026-03-01T01:00:00.000Z");
const look = { now: purgeAt, nextCheck: new Date("2026-03-01T02:00:00.000Z"), abandoned: false };

const tables = openTables();
let store: WatchlistStore;
let purges: PurgeStore;
let keys: IdempotencyStore;
beforeEach(async () => {
  const clock = fixedClock(now.toISOString());
  const options = { table: await tables.create(), clock, random: countingRandom() };
  store = dynamoWatchlistStore(tables.client, options);
  purges = dynamoPurgeStore(tables.client, options);
  keys = dynamoIdempotencyStore(tables.client, options);
});

const aList = (n: number, wanted: Partial<Watchlist> = {}): Watchlist =>
  aWatchlist({ id: `wl_${String(n).padStart(3, "0")}`, name: `List ${n}`, ...wanted });
const aRecord = (owner: string, watchlistId: string): IdempotencyRecord => ({
  accountId: "acct_1",
  keyHash: "hash",
  bodyHash: "body",
  owner,
  leaseUntil: purgeAt,
  watchlistId,
  claimedAt: now,
  expiresAt: purgeAt,
  answer: null,
});
/** Creates a watchlist as the service does: the purge mark is stored before any other row. */
async function create(
  watchlist: Watchlist,
  { record = null, answer = "201" }: { record?: IdempotencyRecord | null; answer?: string } = {},
) {
  await purges.expectCreation(watchlist, purgeAt);
  return store.create({ watchlist, record, answer });
}
const remove = ({ accountId, id }: Watchlist) =>
  store.remove({ accountId, watchlistId: id, purgeAt });
const get = ({ accountId, id }: Watchlist) => store.get(accountId, id);
const dueIds = async (by: string, limit = 10) =>
  (await store.due(new Date(by), limit)).map(({ watchlistId }) => watchlistId);

describe("dynamoWatchlistStore.create, which stores a new watchlist,", () => {
  const paused = aList(1, {
    status: "paused",
    pausedReason: "user",
    nextRunAt: null,
    schedule: { type: "cron", cron: "0 9 * * 1-5", timezone: "Europe/Berlin" },
    pipeline: defaultPipeline("retailer_a", 4),
    webhookEndpointId: "we_1",
    webhookUrl: "https://hooks.shop-example.com/1",
    itemCounts: { new: 3, active: 0, delisted: 0 },
  });

  it.each([
    { what: "an active watchlist with default settings", list: aList(1) },
    { what: "a paused watchlist with all settings", list: paused },
  ])(
    "stores a watchlist unchanged ($what), and returns it only to the account that owns it",
    async ({ list }) => {
      expect(await create(list)).toBe("created");

      expect(await get(list)).toEqual(list);
      expect(await store.get("acct_2", list.id)).toBeUndefined();
    },
  );

  it("deletes the purge mark of the created watchlist", async () => {
    await create(aList(1));

    expect(await purges.due(purgeAt, 10)).toEqual([]);
    expect(await purges.begin("wl_001", look)).toBe(false);
  });

  it("prevents a late attempt to create the same watchlist from setting a purge mark", async () => {
    const list = aList(1);
    await create(list);

    expect(await purges.expectCreation(list, purgeAt)).toBe(false);
    expect(await purges.due(purgeAt, 10)).toEqual([]);
  });

  it("returns 'superseded' after the purge of the watchlist's rows has begun, and leaves no rows", async () => {
    const list = aList(1);
    await purges.expectCreation(list, purgeAt);
    await purges.begin(list.id, look);

    expect(await store.create({ watchlist: list, record: null, answer: "" })).toBe("superseded");
    expect(await get(list)).toBeUndefined();
    expect((await store.list("acct_1", 10)).watchlists).toEqual([]);
  });

  it("stores the response under the idempotency key, and succeeds when the call is repeated", async () => {
    const list = aList(1);
    const record = aRecord("first", list.id);
    await keys.open(record, now);

    expect(await create(list, { record, answer: "the answer" })).toBe("created");
    expect(await store.create({ watchlist: list, record, answer: "the answer" })).toBe("created");
    expect(await keys.open(aRecord("second", "wl_2"), now)).toEqual({
      ...record,
      answer: "the answer",
    });
  });

  it("returns 'superseded' if another call has taken over the idempotency key", async () => {
    const list = aList(1);
    await keys.open(aRecord("first", list.id), now);
    await keys.takeOver(aRecord("second", list.id), "first");

    expect(await create(list, { record: aRecord("first", list.id) })).toBe("superseded");
    expect(await get(list)).toBeUndefined();
  });

  it("creates at most the maximum number of watchlists of an account, even in concurrent calls", async () => {
    const lists = Array.from({ length: limits.watchlistsMax - 3 }, (_, n) => aList(n));
    for (const list of lists) await create(list);
    expect(await store.isFull("acct_1")).toBe(false);

    const outcomes = await Promise.all([101, 102, 103, 104, 105].map((n) => create(aList(n))));
    expect(outcomes.toSorted()).toEqual([
      ...Array<string>(3).fill("created"),
      ...Array<string>(2).fill("limit_reached"),
    ]);
    expect(await store.isFull("acct_1")).toBe(true);
    expect(await store.isFull("acct_2")).toBe(false);
    expect((await store.list("acct_1", 100)).watchlists).toHaveLength(limits.watchlistsMax);

    await remove(aList(0));
    expect(await store.isFull("acct_1")).toBe(false);
    expect(await create(aList(106))).toBe("created");
  });
});

describe("dynamoWatchlistStore.list, which lists watchlists,", () => {
  it("returns an account's own watchlists, newest first, and whether more watchlists exist", async () => {
    for (const n of [2, 1, 3]) await create(aList(n));
    await create(aList(4, { accountId: "acct_2" }));

    const page = await store.list("acct_1", 2);
    expect(page.watchlists.map(({ id }) => id)).toEqual(["wl_003", "wl_002"]);
    expect(page.hasMore).toBe(true);
    const all = await store.list("acct_1", 3);
    expect(all.watchlists).toEqual([aList(3), aList(2), aList(1)]);
    expect(all.hasMore).toBe(false);
  });
});

describe("dynamoWatchlistStore.update, which changes settings,", () => {
  it("writes the settings, and none of the attributes that runs and item changes write", async () => {
    const before = aList(1, { itemCounts: { new: 1, active: 2, delisted: 3 }, runCount: 4 });
    await create(before);
    const after = {
      ...before,
      name: "Renamed",
      nextRunAt: "2026-03-02T00:00:00.000Z",
      revision: 2,
      updatedAt: "2026-03-01T00:30:00.000Z",
    };
    const stale = { itemCounts: { new: 0, active: 0, delisted: 0 }, runCount: 0 };

    expect(await store.update({ before, after: { ...after, ...stale } })).toEqual(after);
    expect(await get(before)).toEqual(after);
  });

  it.each<[string, Partial<Watchlist>]>([
    ["other settings", { revision: 2 }],
    ["another status", { status: "paused" }],
    ["another due time", { nextRunAt: "2026-03-01T00:05:00.000Z" }],
    ["no due time", { nextRunAt: null }],
    ["another run", { lastRunAt: "2026-03-01T00:00:00.000Z" }],
  ])(
    "is refused if the watchlist's row changed after it was read (the change: %s)",
    async (_, other) => {
      const list = aList(1, other);
      await create(list);
      const before = aList(1);

      const change = { before, after: { ...before, name: "Renamed", revision: 3 } };
      expect(await store.update(change)).toBeUndefined();
      expect(await get(list)).toEqual(list);
    },
  );

  it("does not create a deleted watchlist again", async () => {
    const before = aList(1);
    await create(before);
    await remove(before);

    expect(await store.update({ before, after: { ...before, revision: 2 } })).toBeUndefined();
    expect(await get(before)).toBeUndefined();
  });

  it("stores exactly one of many concurrent changes of the same settings", async () => {
    const before = aList(1);
    await create(before);
    const changes = Array.from({ length: 6 }, (_, n) =>
      store.update({ before, after: { ...before, name: `name ${n}`, revision: 2 } }),
    );

    const won = (await Promise.all(changes)).filter((changed) => changed !== undefined);
    expect(won).toHaveLength(1);
    expect(await get(before)).toEqual(won[0]);
  });

  it("resets the count of skips only if the change requests the reset", async () => {
    const before = aList(1, { consecutiveSkips: 2 });
    await create(before);
    const renamed = { ...before, name: "Renamed", revision: 2 };
    expect(await store.update({ before, after: renamed })).toEqual(renamed);

    const after = { ...renamed, consecutiveSkips: 0, revision: 3 };
    expect(await store.update({ before: renamed, after })).toEqual(after);
  });
});

describe("dynamoWatchlistStore.due, which finds due watchlists,", () => {
  it("finds the due watchlists of all accounts, those due longest first", async () => {
    await create(aList(1, { nextRunAt: "2026-03-01T00:03:00.000Z" }));
    await create(aList(2, { nextRunAt: "2026-03-01T00:01:00.000Z", accountId: "acct_2" }));
    await create(aList(3, { nextRunAt: "2026-03-01T00:02:00.000Z" }));
    await create(aList(4, { nextRunAt: null, status: "paused" }));

    expect(await store.due(new Date("2026-03-01T00:02:00.000Z"), 10)).toEqual([
      { accountId: "acct_2", watchlistId: "wl_002", dueAt: "2026-03-01T00:01:00.000Z" },
      { accountId: "acct_1", watchlistId: "wl_003", dueAt: "2026-03-01T00:02:00.000Z" },
    ]);
    expect(await dueIds("2026-03-01T00:10:00.000Z", 2)).toEqual(["wl_002", "wl_003"]);
  });

  it("returns a watchlist at its changed due time and after its activation, but not while it is paused", async () => {
    const active = aList(1, { nextRunAt: "2026-03-01T00:01:00.000Z" });
    await create(active);
    const moved = { ...active, nextRunAt: "2026-03-01T00:05:00.000Z", revision: 2 };
    await store.update({ before: active, after: moved });
    expect(await dueIds("2026-03-01T00:04:00.000Z")).toEqual([]);
    expect(await dueIds("2026-03-01T00:05:00.000Z")).toEqual(["wl_001"]);

    const paused = { ...moved, status: "paused", nextRunAt: null, revision: 3 } as const;
    await store.update({ before: moved, after: paused });
    expect(await dueIds("2030-01-01T00:00:00.000Z")).toEqual([]);

    await store.update({ before: paused, after: { ...active, revision: 4 } });
    expect(await dueIds("2026-03-01T00:01:00.000Z")).toEqual(["wl_001"]);
  });

  it("omits a deleted watchlist", async () => {
    await create(aList(1));
    await remove(aList(1));
    expect(await dueIds("2030-01-01T00:00:00.000Z")).toEqual([]);
  });
});

describe("dynamoWatchlistStore.skipOverlap, which skips a due time during a run,", () => {
  it("advances the due time, and counts at most one skipped run per due time", async () => {
    const list = aList(1, { nextRunAt: "2026-03-01T00:00:00.000Z" });
    await create(list);
    await store.skipOverlap(list, "2026-03-01T01:00:00.000Z");
    await store.skipOverlap(list, "2026-03-01T01:00:00.000Z");

    expect(await get(list)).toEqual({
      ...list,
      nextRunAt: "2026-03-01T01:00:00.000Z",
      overlaps: 1,
    });
    expect(await dueIds("2026-03-01T00:59:00.000Z")).toEqual([]);
    expect(await dueIds("2026-03-01T01:00:00.000Z")).toEqual(["wl_001"]);
  });
});

describe("dynamoWatchlistStore.remove, which deletes a watchlist,", () => {
  it("deletes the watchlist and writes a purge mark", async () => {
    const list = aList(1);
    await create(list);

    expect(await remove(list)).toBe(true);
    expect(await remove(list)).toBe(false);
    expect(await get(list)).toBeUndefined();
    expect(await purges.due(purgeAt, 10)).toEqual(["wl_001"]);
  });

  it("removes nothing if the watchlist belongs to another account or does not exist", async () => {
    await create(aList(1));

    expect(await remove(aList(1, { accountId: "acct_2" }))).toBe(false);
    expect(await remove(aList(2))).toBe(false);
    expect(await get(aList(1))).toEqual(aList(1));
    expect(await purges.due(purgeAt, 10)).toEqual([]);
  });

  it("deletes the idempotency key that created the watchlist, unless a later request used the key to create another watchlist", async () => {
    const [first, second, third] = [1, 2, 3].map((n) => aRecord(`owner ${n}`, aList(n).id));
    if (!first || !second || !third) throw new Error("A record is missing");
    await keys.open(first, now);
    await create(aList(1), { record: first });
    await remove(aList(1));
    expect(await keys.open(second, now)).toEqual(second);
    await create(aList(2), { record: second });
    // After its expiry, the idempotency key creates another watchlist.
    await keys.open(third, second.expiresAt);
    await create(aList(3), { record: third });

    expect(await remove(aList(2))).toBe(true);
    expect(await keys.open(first, now)).toEqual({ ...third, answer: "201" });
  });
});
