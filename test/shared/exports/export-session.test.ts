import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventsDigest } from "../../../shared/events/event-digest.ts";
import type { EventType } from "../../../shared/events/event.ts";
import type { BucketObject } from "../../../shared/exports/customer-bucket.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";
import { destinationTarget } from "../../../shared/outbox/outbox.ts";
import { aRun } from "../../support/delivery-world.ts";
import { type ExportWorld, startExportWorld } from "../../support/export-world.ts";
import { startReceiver } from "../../support/receiver.ts";
import { answerAsStore } from "../../support/store-answers.ts";

const account = "acct_1";
const target = destinationTarget(account);
const types: EventType[] = ["watchlist.product.changed", "watchlist.run.completed"];
const folder = "shop/events/v=2/dt=2026-11-19/watchlist_id=wl_1/run_number=00000007/";
const many = (count: number): EventType[] =>
  Array.from({ length: count }, () => "watchlist.product.changed");

let base: Awaited<ReturnType<typeof startExportWorld>>;
let world: ExportWorld;

beforeAll(async () => {
  base = await startExportWorld();
});
afterAll(() => base.stop());
beforeEach(async () => {
  world = await base.open();
});

async function objects(): Promise<Map<string, Buffer>> {
  const Bucket = world.exportBucket;
  const { Contents = [] } = await world.s3.send(new ListObjectsV2Command({ Bucket }));
  const entries: [string, Buffer][] = [];
  for (const { Key = "" } of Contents) {
    const { Body } = await world.s3.send(new GetObjectCommand({ Bucket, Key }));
    entries.push([Key, Buffer.from((await Body?.transformToByteArray()) ?? [])]);
  }
  return new Map(entries);
}

/**
 * Calls `change` before each put of an export. If `change` returns a reason, the put fails with
 * this reason and writes nothing. Returns the keys of all puts so far, in order.
 */
function interceptPuts(change: (object: BucketObject) => string | null): string[] {
  const { buckets } = world.exporting;
  const keys: string[] = [];
  Object.assign(world.exporting, {
    buckets: {
      open: (access: Parameters<typeof buckets.open>[0]) => {
        const bucket = buckets.open(access);
        return {
          ...bucket,
          put: async (object: BucketObject) => {
            keys.push(object.key);
            const reason = change(object);
            return reason === null ? bucket.put(object) : { outcome: "failed", reason };
          },
        };
      },
    },
  });
  return keys;
}

const log = async (): Promise<readonly ExportRecord[]> =>
  (await world.registering.exports.list(account, { limit: 100, before: null, state: null }))
    .exports;
const nameOf = (key: string): string => key.split("/").at(-1)?.slice(0, 9) ?? "";
const pending = async (): Promise<readonly string[]> => {
  const lanes = await Promise.all(
    (["first", "later"] as const).map((lane) =>
      world.outbox.entries(target, { lane, by: null, limit: 100 }),
    ),
  );
  return lanes.flat().map(({ lane, dueAt }) => `${lane} ${dueAt}`);
};
const destination = () => world.registering.destinations.get(account);

describe("the export of a run", () => {
  it("writes one object per event with the bytes of the webhook body, and then the manifest", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(() => null);
    const run = aRun(types);
    await world.publish(run);
    await world.work();

    const [changed, completed] = run.events;
    expect(keys.toSorted()).toEqual([
      `${folder}00001-watchlist.product.changed-${changed?.id}.jsonl.gz`,
      `${folder}00002-watchlist.run.completed-${completed?.id}.jsonl.gz`,
      `${folder}_manifest.json`,
    ]);
    expect(keys.at(-1)).toBe(`${folder}_manifest.json`);
    const stored = await objects();
    const lines = keys
      .slice(0, 2)
      .toSorted()
      .map((key) => gunzipSync(stored.get(key) ?? "").toString());
    expect(lines).toEqual(run.events.map(({ body }) => `${body}\n`));
    const manifest = JSON.parse(String(stored.get(`${folder}_manifest.json`)));
    expect(manifest.run).toEqual(JSON.parse(completed?.body ?? "").data);
    expect(manifest.digest).toBe(eventsDigest(run.events.map(({ id }) => id)));
    const key = `${folder}00001-watchlist.product.changed-${changed?.id}.jsonl.gz`;
    const first = stored.get(key) ?? Buffer.alloc(0);
    expect(manifest.objects[0]).toEqual({
      key,
      event_id: changed?.id,
      type: "watchlist.product.changed",
      items: 2,
      bytes: first.length,
      sha256: createHash("sha256").update(first).digest("hex"),
    });
    const bytes = keys.slice(0, 2).reduce((sum, name) => sum + (stored.get(name)?.length ?? 0), 0);
    expect(manifest.totals).toEqual({ objects: 2, items: 2, bytes });
    const at = world.clock.now().toISOString();
    expect(await destination()).toMatchObject({ lastSuccessAt: at, lastError: null });
    expect(await log()).toEqual([
      {
        id: expect.stringMatching(/^exp_[0-9a-z]{24}$/),
        runId: "wlrun_1",
        watchlistId: "wl_1",
        runNumber: 7,
        state: "done",
        objects: 2,
        bytes,
        destinationRevision: (await destination())?.revision,
        compression: "gzip",
        manifestKey: `${folder}_manifest.json`,
        attemptCount: 1,
        tries: 0,
        lastError: null,
        nextAttemptAt: null,
        createdAt: run.events[0]?.createdAt,
        finishedAt: at,
      },
    ]);
    expect(await pending()).toEqual([]);
  });

  it('writes uncompressed objects if the destination\'s compression is "none"', async () => {
    await world.setDestination(account, { compression: "none", prefix: "" });
    const run = aRun(types);
    await world.publish(run);
    await world.work();

    const key = `${folder.replace("shop/", "")}00001-watchlist.product.changed-${run.events[0]?.id}.jsonl`;
    const stored = await objects();
    expect(String(stored.get(key))).toBe(`${run.events[0]?.body}\n`);
    expect([...stored.keys()]).toHaveLength(3);
  });

  it("writes at most four objects concurrently, and the manifest after all other objects", async () => {
    await world.setDestination(account);
    const { buckets } = world.exporting;
    let now = 0;
    let most = 0;
    const atManifest: number[] = [];
    Object.assign(world.exporting, {
      buckets: {
        open: (access: Parameters<typeof buckets.open>[0]) => {
          const bucket = buckets.open(access);
          return {
            ...bucket,
            put: async (object: BucketObject) => {
              if (object.key.endsWith("_manifest.json")) atManifest.push(now);
              now += 1;
              most = Math.max(most, now);
              const outcome = await bucket.put(object);
              now -= 1;
              return outcome;
            },
          };
        },
      },
    });
    await world.publish(aRun([...many(20), "watchlist.run.completed"]));
    await world.work();

    expect(most).toBe(4);
    expect(atManifest).toEqual([0]);
    expect((await objects()).size).toBe(22);
  });

  it("writes nothing when the exported run is published again", async () => {
    await world.setDestination(account);
    const run = aRun(types);
    await world.publish(run);
    await world.work();
    const before = await objects();
    const keys = interceptPuts(() => null);

    await world.publish(run);
    await world.work();

    expect(keys).toEqual([]);
    expect(await objects()).toEqual(before);
    expect(await pending()).toEqual([]);
  });

  it("continues with the object that was not written 5 s after a failed write", async () => {
    await world.setDestination(account);
    let broken = true;
    const keys = interceptPuts(({ key }) =>
      broken && key.includes("run.completed") ? "SlowDown" : null,
    );
    await world.publish(aRun(types));
    await world.work();
    expect(keys.map(nameOf)).toEqual(["00001-wat", "00002-wat"]);
    expect(await destination()).toMatchObject({ lastError: "SlowDown", failuresInRow: 1 });
    expect(await log()).toMatchObject([
      {
        state: "pending",
        objects: 1,
        lastError: "SlowDown",
        nextAttemptAt: "2026-11-20T10:00:05.000Z",
      },
    ]);
    await world.work();
    expect(keys).toHaveLength(2);

    broken = false;
    world.clock.advance(5_000);
    await world.work();

    expect(keys.slice(2).map(nameOf)).toEqual(["00002-wat", "_manifest"]);
    expect(await destination()).toMatchObject({ lastError: null, failuresInRow: 0 });
    expect(await log()).toMatchObject([{ state: "done", attemptCount: 2, lastError: null }]);
  });

  it("repeats after a failed attempt only the writes of the first failed object and of the later objects", async () => {
    await world.setDestination(account);
    let broken = true;
    const keys = interceptPuts(({ key }) =>
      broken && nameOf(key).startsWith("00006") ? "SlowDown" : null,
    );
    await world.publish(aRun([...many(20), "watchlist.run.completed"]));
    await world.work();
    broken = false;
    const before = keys.length;
    world.clock.advance(5_000);
    await world.work();

    expect(before).toBeLessThan(12);
    const [again] = keys.slice(before).map(nameOf).toSorted();
    expect(again).toBe("00006-wat");
    expect((await objects()).size).toBe(22);
    const manifest = JSON.parse(String((await objects()).get(`${folder}_manifest.json`)));
    expect((await log())[0]).toMatchObject({ objects: 21, bytes: manifest.totals.bytes });
  });

  it("restarts its retry schedule after an attempt that wrote at least one object", async () => {
    await world.setDestination(account);
    let broken = 0;
    interceptPuts(({ key }) => (key.includes("changed") && broken === 2 ? null : "SlowDown"));
    await world.publish(aRun(types));
    const waits: number[] = [];
    for (const waited of [0, 5, 300]) {
      world.clock.advance(waited * 1_000);
      await world.work();
      broken += 1;
      const [record] = await log();
      waits.push((Date.parse(record?.nextAttemptAt ?? "") - world.clock.now().getTime()) / 1_000);
    }

    expect(waits).toEqual([5, 300, 5]);
  });

  it("writes the whole run again after a change of the destination", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(({ key }) =>
      key.startsWith("shop/") && key.includes("/00002-") ? "SlowDown" : null,
    );
    await world.publish(aRun(types));
    await world.work();

    await world.setDestination(account, { prefix: "new/" });
    world.clock.advance(5_000);
    await world.work();

    expect(keys.filter((key) => key.startsWith("new/"))).toHaveLength(3);
  });

  it("stops between two objects at the end of its time slice, and continues in the next slice", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(() => {
      world.clock.advance(5_000);
      return null;
    });
    await world.publish(aRun([...many(20), "watchlist.run.completed"]));
    const counts: number[] = [];
    for (let slices = 0; slices < 8; slices += 1) {
      await world.work();
      counts.push(keys.length);
    }

    expect(counts[0]).toBeGreaterThanOrEqual(6);
    expect(counts[0]).toBeLessThan(12);
    expect(keys).toHaveLength(22);
    expect(new Set(keys).size).toBe(22);
    expect(await log()).toMatchObject([{ state: "done", objects: 21, attemptCount: 1 }]);
  });

  it("fails after ten attempts if the bucket refuses every write", async () => {
    await world.setDestination(account, { bucket: "no-such-bucket" });
    await world.publish(aRun(types));
    for (let tries = 0; tries < 12; tries += 1) {
      await world.work();
      world.clock.advance(27 * 60 * 60 * 1_000);
    }

    expect(await destination()).toMatchObject({ lastError: "NoSuchBucket", failuresInRow: 10 });
    expect(await log()).toMatchObject([
      { state: "failed", attemptCount: 10, lastError: "NoSuchBucket", nextAttemptAt: null },
    ]);
    expect(await pending()).toEqual([]);
  });

  it("is postponed without an attempt after three failed exports in a row", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(() => "SlowDown");
    for (let n = 0; n < 8; n += 1) {
      await world.publish(aRun(["watchlist.run.completed"], { runId: `wlrun_${n}`, runNumber: n }));
    }
    await world.work();

    expect(keys).toHaveLength(3);
    const records = await log();
    expect(records).toHaveLength(8);
    for (const record of records) {
      expect(record).toMatchObject({ state: "pending", lastError: "SlowDown" });
    }
    // Exports without an attempt have used none of their retry schedule.
    expect(records.map(({ tries }) => tries).sort((one, other) => one - other)).toEqual([
      0, 0, 0, 0, 0, 1, 1, 1,
    ]);
    expect(
      records.map(({ attemptCount }) => attemptCount).sort((one, other) => one - other),
    ).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
  });

  it("fails only after ten attempts, even if other exports of the destination also fail", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(() => "SlowDown");
    for (let n = 0; n < 8; n += 1) {
      await world.publish(aRun(["watchlist.run.completed"], { runId: `wlrun_${n}`, runNumber: n }));
    }
    for (let waves = 0; waves < 40; waves += 1) {
      await world.work();
      world.clock.advance(27 * 60 * 60 * 1_000);
    }

    expect(keys).toHaveLength(80);
    const records = await log();
    expect(records.map(({ state }) => state)).toEqual(records.map(() => "failed"));
    expect(records.map(({ attemptCount }) => attemptCount)).toEqual(records.map(() => 10));
  });

  it("shares one connection with the other exports of its time slice, and closes the connection after the slice", async () => {
    const store = await startReceiver();
    store.answer = answerAsStore;
    const { buckets } = world.exporting;
    let closed = 0;
    const open = (access: Parameters<typeof buckets.open>[0]) => {
      const bucket = buckets.open(access);
      const close = () => {
        closed += 1;
        bucket.close();
      };
      return { ...bucket, close };
    };
    Object.assign(world.exporting, { buckets: { open } });
    await world.setDestination(account, { endpoint: `http://127.0.0.1:${store.port}` });
    for (let n = 0; n < 5; n += 1) {
      await world.publish(aRun(["watchlist.run.completed"], { runId: `wlrun_${n}`, runNumber: n }));
    }
    await world.work();

    expect(store.requests).toHaveLength(10);
    expect(store.connections()).toBe(1);
    expect(closed).toBe(1);
    await store.stop();
  });

  it("fails without an attempt if the run's events have expired", async () => {
    await world.setDestination(account);
    await world.publish(aRun(types));
    const keys = interceptPuts(() => null);
    Object.assign(world.exporting, { bodies: { get: async () => null, put: async () => {} } });
    await world.work();

    expect(keys).toEqual([]);
    expect(await log()).toMatchObject([{ state: "failed", lastError: "events_expired" }]);
    expect(await destination()).toMatchObject({ failuresInRow: 0, lastError: null });
  });

  it("assumes the role of the destination, and stores the reason if AWS refuses the role", async () => {
    const roleArn = "arn:aws:iam::123456789012:role/events";
    await world.setDestination(account, { credentials: { auth: "role", roleArn } });
    await world.publish(aRun(types));
    await world.work();

    expect(world.roles.asked).toEqual([
      { roleArn, externalId: expect.stringMatching(/^ext-[0-9a-f]{32}$/), region: "us-east-1" },
    ]);
    expect(await log()).toMatchObject([{ state: "pending", lastError: "AccessDenied" }]);

    const expiresAt = new Date("2026-11-20T11:00:00.000Z");
    const keysOfRole = { accessKeyId: "ASIA", secretAccessKey: "s", sessionToken: "t", expiresAt };
    world.roles.answer = { outcome: "assumed", credentials: keysOfRole };
    world.clock.advance(5_000);
    await world.work();
    expect(await log()).toMatchObject([{ state: "done", lastError: null }]);
  });

  it.each([
    ["destination_disabled", () => world.setDestination(account, { enabled: false })],
    ["destination_deleted", () => world.registering.destinations.delete(account)],
  ])(
    "fails with the reason %s before its next attempt if the destination stops accepting exports",
    async (reason, change) => {
      await world.setDestination(account);
      interceptPuts(() => "SlowDown");
      await world.publish(aRun(types));
      await world.work();
      await world.publish(aRun(types, { runId: "wlrun_2", runNumber: 8 }));
      await change();
      const keys = interceptPuts(() => null);
      await world.outbox.wake(target, world.clock.now());
      await world.work();

      expect(keys).toEqual([]);
      expect(await pending()).toEqual([]);
      expect((await log()).map(({ state, lastError }) => [state, lastError])).toEqual([
        ["failed", reason],
        ["failed", reason],
      ]);
    },
  );

  it("is not started if the account has no enabled destination", async () => {
    await world.publish(aRun(types));
    await world.setDestination(account, { enabled: false });
    await world.publish(aRun(types, { runId: "wlrun_2" }));

    expect(await pending()).toEqual([]);
  });
});

describe("a backfill of exports", () => {
  const minute = (n: number): string =>
    new Date(Date.parse("2026-11-20T08:00:00.000Z") + n * 60_000).toISOString();
  const publishRun = (n: number): Promise<void> => {
    const wanted = { runId: `wlrun_${n}`, runNumber: n, happenedAt: minute(n) };
    return world.publish(aRun(["watchlist.run.completed"], wanted));
  };
  const publishRuns = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      await publishRun(n);
    }
  };
  const backfill = (since: string, until: string) =>
    world.outbox.add(target, [
      {
        lane: "first",
        dueAt: world.clock.now().toISOString(),
        key: `backfill#${since}#${until}`,
        content: { kind: "backfill", since, until, after: null },
      },
    ]);

  it("writes exactly the runs of the time span, whether or not they were exported before", async () => {
    await publishRuns(3);
    await world.setDestination(account);
    await publishRun(3);
    await world.work();
    const keys = interceptPuts(() => null);
    await backfill(minute(1), minute(3));
    await world.work();

    const runs = keys.flatMap((key) => /run_number=(\d+)\/_manifest/.exec(key)?.[1] ?? []);
    expect(runs.toSorted()).toEqual(["00000001", "00000002", "00000003"]);
    expect(await log()).toMatchObject([
      { runId: "wlrun_3", state: "done", attemptCount: 2 },
      { runId: "wlrun_2", state: "done", attemptCount: 1, runNumber: 2 },
      { runId: "wlrun_1", state: "done", attemptCount: 1 },
    ]);
    expect(await pending()).toEqual([]);
  });

  it("writes each run once even if it reads the runs in several pages", async () => {
    await publishRuns(60);
    await world.setDestination(account);
    const keys = interceptPuts(() => null);
    await backfill(minute(0), minute(59));
    await world.work();

    expect(keys).toHaveLength(120);
    expect(new Set(keys).size).toBe(120);
    expect(await pending()).toEqual([]);
  });

  it("replaces the pending retry of an export of the same run", async () => {
    await world.setDestination(account);
    let broken = true;
    const keys = interceptPuts(() => (broken ? "SlowDown" : null));
    await publishRuns(1);
    await world.work();
    broken = false;
    await backfill(minute(0), minute(0));
    await world.work();
    expect(await log()).toMatchObject([{ state: "done" }]);
    const count = keys.length;

    world.clock.advance(60_000);
    await world.work();
    expect(keys).toHaveLength(count);
    expect(await pending()).toEqual([]);
  });

  it("ends without an export if the destination is disabled", async () => {
    await publishRuns(1);
    await world.setDestination(account, { enabled: false });
    await backfill(minute(0), minute(0));
    await world.work();

    expect(await pending()).toEqual([]);
    expect(await log()).toEqual([]);
  });
});
