import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { GetObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOfChanges } from "../../../scripts/bench/delivery-run.ts";
import { eventsDigest } from "../../../shared/events/event-digest.ts";
import { codeBlocks } from "../../readme/code-blocks.ts";
import { type DeliveryWorld, startDeliveryWorld, startedAt } from "../../support/delivery-world.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";

const items = 50_000;
const accountId = "acct_1";
const runStartedAt = "2026-11-19T23:59:00.000Z";
const folderName = "shop/events/v=1/dt=2026-11-19/watchlist_id=wl_prices/run=00000007/";

interface Change {
  readonly id: string;
  readonly changes: { readonly price: { readonly before: number; readonly after: number } };
}

/** A delivery as the receiver got it. */
interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly changes?: readonly Change[]; readonly events_digest?: string };
}

interface Manifest {
  readonly digest: string;
  readonly objects: readonly { key: string; event_id: string; bytes: number; sha256: string }[];
  readonly totals: { readonly objects: number; readonly items: number };
}

let close: () => Promise<void>;
let receiver: Receiver;
/** Bytes by key, as the bucket has them. */
let objects: ReadonlyMap<string, Buffer>;
let duck: DuckDBConnection;
let received: readonly Received[];

/**
 * DuckDB reads s3:// through an extension that it downloads, which no test can rely on: it gets the
 * bucket's objects as files under their keys, each with the bytes as they are stored.
 */
let mirror: string;

beforeAll(async () => {
  const worlds = await startDeliveryWorld();
  receiver = await startReceiver();
  mirror = mkdtempSync(join(tmpdir(), "bucket-"));
  duck = await (await DuckDBInstance.create(":memory:")).connect();
  close = async () => {
    duck.closeSync();
    rmSync(mirror, { recursive: true });
    await receiver.stop();
    await worlds.stop();
  };
  const world = await worlds.open();
  await world.addEndpoint(accountId, receiver.url);
  await world.setDestination(accountId);
  const run = { accountId, runId: "wlrun_large", runNumber: 7, items, startedAt: runStartedAt };
  world.clock.set(startedAt);
  await world.publish(runOfChanges(run));
  await world.deliverDue();
  received = receiver.requests.map(({ body }) => JSON.parse(body) as Received);
  objects = await objectsOf(world);
  for (const [key, bytes] of objects) {
    mkdirSync(dirname(join(mirror, key)), { recursive: true });
    writeFileSync(join(mirror, key), bytes);
  }
  for (const statement of readmeStatements().filter((one) => one.startsWith("CREATE"))) {
    await duck.run(statement);
  }
});
afterAll(() => close());

async function objectsOf({ s3, exportBucket: Bucket }: DeliveryWorld) {
  const found = new Map<string, Buffer>();
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
    for (const { Key = "" } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      found.set(Key, Buffer.from(await Body!.transformToByteArray()));
    }
  }
  return found;
}

/** The README's queries, over the files instead of the bucket. */
const readmeStatements = (): string[] =>
  codeBlocks("Read the export", "sql")
    .join("\n")
    .replaceAll("s3://my-bucket/", `${mirror}/`)
    .split(";")
    .map((statement) => statement.replaceAll(/^--.*$/gm, "").trim())
    .filter((statement) => statement !== "");

const rowsOf = async (query: string) =>
  (await duck.runAndReadAll(query)).getRowObjectsJson() as Record<string, unknown>[];

const manifest = (): Manifest =>
  JSON.parse(objects.get(`${folderName}_manifest.json`)!.toString()) as Manifest;

const sha256 = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

describe("a run of 50,000 changes in a customer's bucket, read by DuckDB", () => {
  it("is an object an event and a manifest that lists them as they are stored", () => {
    const stored = [...objects.keys()].sort();

    expect(objects.size).toBe(102);
    expect(stored.at(-1)).toBe(`${folderName}_manifest.json`);
    expect(manifest().objects.map(({ key }) => key)).toEqual(stored.slice(0, -1));
    expect(manifest().totals).toMatchObject({ objects: 101, items });
    for (const { key, bytes, sha256: digest } of manifest().objects) {
      const object = objects.get(key)!;
      expect({ bytes: object.length, digest: sha256(object) }).toEqual({ bytes, digest });
    }
  });

  it("has every line as the receiver got it, in the receiver's order", async () => {
    const bodies = receiver.requests.map(({ body }) => `${body}\n`);
    const lines = manifest().objects.map(({ key }) => gunzipSync(objects.get(key)!).toString());
    expect(lines.map(sha256)).toEqual(bodies.map(sha256));

    const events = await rowsOf("SELECT id, type FROM events ORDER BY filename");
    expect(events).toEqual(received.map(({ id, type }) => ({ id, type })));
    expect(events).toHaveLength(101);
  });

  it("has the partitions as columns", async () => {
    const partitions = await rowsOf(
      "SELECT DISTINCT dt, watchlist_id, run, typeof(run) AS type FROM events",
    );

    expect(partitions).toEqual([
      { dt: "2026-11-19", watchlist_id: "wl_prices", run: 7, type: "INTEGER" },
    ]);
  });

  it("has every change once, and those that the receiver got", async () => {
    const got = received.flatMap(({ data }) => data.changes ?? []);
    const [counts] = await rowsOf(`SELECT CAST(count(*) AS INT) AS entries,
      CAST(count(DISTINCT id) AS INT) AS ids,
      sha256(string_agg(id || ' ' || (changes ->> '$.price.after'), chr(10) ORDER BY id)) AS digest
      FROM changes`);

    const ofReceiver = got.map(({ id, changes }) => `${id} ${changes.price.after}`).sort();
    expect(counts).toEqual({ entries: items, ids: items, digest: sha256(ofReceiver.join("\n")) });
  });

  it("has the digest that the manifest, the last event and the receiver have", async () => {
    const [digest] = await rowsOf(
      "SELECT sha256(string_agg(id, chr(10) ORDER BY filename)) AS digest FROM events",
    );

    const ids = received.map(({ id }) => id);
    expect(digest).toEqual({ digest: eventsDigest(ids) });
    expect(digest).toEqual({ digest: manifest().digest });
    expect(digest).toEqual({ digest: received.at(-1)?.data.events_digest });
  });
});

describe("the README's queries", () => {
  const query = (beginning: string): string =>
    readmeStatements().find((statement) => statement.startsWith(beginning)) ?? "";

  it("find what became cheaper, the largest cuts first", async () => {
    const expected = received
      .flatMap(({ data }) => data.changes ?? [])
      .map(({ id, changes: { price } }) => ({ id, before: price.before, after: price.after }))
      .filter(({ before, after }) => after < before)
      .sort((a, b) => a.after / a.before - b.after / b.before || (a.id < b.id ? -1 : 1));

    const rows = await rowsOf(query("SELECT dt, id"));

    expect(rows.map(({ dt }) => dt)).toEqual(Array(20).fill("2026-11-19"));
    expect(rows.map(({ id, before, after }) => ({ id, before, after }))).toEqual(
      expected.slice(0, 20),
    );
  });

  it("find no run that lacks an object, and find one when it does", async () => {
    const lacking = query("SELECT watchlist_id, run");
    expect(await rowsOf(lacking)).toEqual([]);

    const [, { key } = { key: "" }] = manifest().objects;
    rmSync(join(mirror, key));
    try {
      expect(await rowsOf(lacking)).toEqual([{ watchlist_id: "wl_prices", run: 7 }]);
    } finally {
      writeFileSync(join(mirror, key), objects.get(key)!);
    }
  });
});
