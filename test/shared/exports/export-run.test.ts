import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BucketObject } from "../../../shared/exports/customer-bucket.ts";
import type { EventType } from "../../../shared/events/event.ts";
import { eventsDigest } from "../../../shared/events/event-digest.ts";
import { aRun, type DeliveryWorld, startDeliveryWorld } from "../../support/delivery-world.ts";
import { startReceiver } from "../../support/receiver.ts";

const account = "acct_1";
const types: EventType[] = ["watchlist.product.changed", "watchlist.run.completed"];
const folder = "shop/events/v=1/dt=2026-11-19/watchlist_id=wl_1/run=00000007/";

let base: Awaited<ReturnType<typeof startDeliveryWorld>>;
let world: DeliveryWorld;

beforeAll(async () => {
  base = await startDeliveryWorld();
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

/** Lets `change` stand between the export and the bucket. */
function interceptPuts(change: (object: BucketObject) => string | null): string[] {
  const { buckets } = world.delivering;
  const keys: string[] = [];
  Object.assign(world.delivering, {
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

describe("exportRun", () => {
  it("writes one object an event, equal to the webhook body, and the manifest last", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(() => null);
    const run = aRun(types);
    await world.publish(run);
    await world.deliverDue();

    const [changed, completed] = run.events;
    expect(keys).toEqual([
      `${folder}00001-watchlist.product.changed-${changed?.id}.jsonl.gz`,
      `${folder}00002-watchlist.run.completed-${completed?.id}.jsonl.gz`,
      `${folder}_manifest.json`,
    ]);
    const stored = await objects();
    const lines = keys.slice(0, 2).map((key) => gunzipSync(stored.get(key) ?? "").toString());
    expect(lines).toEqual(run.events.map(({ body }) => `${body}\n`));
    const manifest = JSON.parse(String(stored.get(`${folder}_manifest.json`)));
    expect(manifest.run).toEqual(JSON.parse(completed?.body ?? "").data);
    expect(manifest.digest).toBe(eventsDigest(run.events.map(({ id }) => id)));
    const first = stored.get(keys[0] ?? "") ?? Buffer.alloc(0);
    expect(manifest.objects[0]).toEqual({
      key: keys[0],
      event_id: changed?.id,
      type: "watchlist.product.changed",
      items: 2,
      bytes: first.length,
      sha256: createHash("sha256").update(first).digest("hex"),
    });
    const bytes = first.length + (stored.get(keys[1] ?? "")?.length ?? 0);
    expect(manifest.totals).toEqual({ objects: 2, items: 2, bytes });
    expect(await world.delivering.destinations.get(account)).toMatchObject({
      lastSuccessAt: world.clock.now().toISOString(),
      lastError: null,
    });
  });

  it("writes plain lines when compression is none", async () => {
    await world.setDestination(account, { compression: "none", prefix: "" });
    const run = aRun(types);
    await world.publish(run);
    await world.deliverDue();

    const key = `${folder.replace("shop/", "")}00001-watchlist.product.changed-${run.events[0]?.id}.jsonl`;
    const stored = await objects();
    expect(String(stored.get(key))).toBe(`${run.events[0]?.body}\n`);
    expect([...stored.keys()]).toHaveLength(3);
  });

  it("makes the same objects when the run is published and exported again", async () => {
    await world.setDestination(account);
    const run = aRun(types);
    await world.publish(run);
    await world.deliverDue();
    const before = await objects();

    await world.publish(run);
    await world.deliverDue();

    expect(await objects()).toEqual(before);
  });

  it("goes on at the object that failed, after 5 s", async () => {
    await world.setDestination(account);
    let broken = true;
    const keys = interceptPuts(({ key }) =>
      broken && key.includes("run.completed") ? "SlowDown" : null,
    );
    await world.publish(aRun(types));
    await world.deliverDue();
    expect(keys).toHaveLength(2);
    expect(await world.delivering.destinations.get(account)).toMatchObject({
      lastError: "SlowDown",
      failing: false,
    });

    broken = false;
    world.clock.advance(5_000);
    await world.deliverDue();

    expect(keys.slice(2).map((key) => key.split("/").at(-1)?.slice(0, 9))).toEqual([
      "00002-wat",
      "_manifest",
    ]);
    expect(await world.delivering.destinations.get(account)).toMatchObject({ lastError: null });
  });

  it("begins the retry schedule anew when objects got through", async () => {
    await world.setDestination(account);
    let taken = 0;
    interceptPuts(() => {
      taken += 1;
      return taken === 3 ? null : "SlowDown";
    });
    await world.publish(aRun(types));
    const dues: number[] = [];
    for (const waited of [0, 5, 300]) {
      world.clock.advance(waited * 1_000);
      await world.deliverDue();
      dues.push(await secondsUntilDue());
    }

    expect(taken).toBe(4);
    expect(dues).toEqual([5, 300, 5]);
  });

  it("writes the whole run to a destination that was replaced in between", async () => {
    await world.setDestination(account);
    const keys = interceptPuts(({ key }) => (key.startsWith("shop/") ? failSecond(key) : null));
    await world.publish(aRun(types));
    await world.deliverDue();

    await world.setDestination(account, { prefix: "new/", updatedAt: "2026-11-20T10:00:02.000Z" });
    world.clock.advance(5_000);
    await world.deliverDue();

    expect(keys.filter((key) => key.startsWith("new/"))).toHaveLength(3);
  });

  it("gives a dead bucket up after ten attempts, without stopping the webhooks", async () => {
    const receiver = await startReceiver();
    await world.addEndpoint(account, receiver.url);
    await world.setDestination(account, { bucket: "no-such-bucket" });
    await world.publish(aRun(types));
    for (let tries = 0; tries < 12; tries += 1) {
      await world.deliverDue();
      world.clock.advance(27 * 60 * 60 * 1_000);
    }
    await receiver.stop();

    expect(receiver.requests).toHaveLength(types.length);
    expect(await world.delivering.destinations.get(account)).toMatchObject({
      lastError: "NoSuchBucket",
      failing: true,
    });
    expect(await world.work.due(world.clock.now(), 10)).toEqual([]);
  });

  it("is not owed by an account without an enabled destination", async () => {
    await world.publish(aRun(types));
    await world.setDestination(account, { enabled: false });
    await world.publish(aRun(types, { runId: "wlrun_2" }));

    expect(await world.work.due(world.clock.now(), 10)).toEqual([]);
    expect(await world.takeHints()).toEqual([]);
  });
});

const failSecond = (key: string): string | null => (key.includes("/00002-") ? "SlowDown" : null);

/** The first of the schedule's waits after which the export is due. */
async function secondsUntilDue(): Promise<number> {
  for (const seconds of [5, 300, 1_800]) {
    const at = new Date(world.clock.now().getTime() + seconds * 1_000);
    if ((await world.work.due(at, 1)).length > 0) return seconds;
  }
  return Infinity;
}
