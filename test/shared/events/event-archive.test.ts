import { createHash, randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { DeleteObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { s3EventBodies } from "../../../shared/aws/deliveries/event-bodies.ts";
import {
  type ArchivedEvent,
  readLine,
  readRunIndex,
  archiveRun,
  type ByteRange,
  type EventBodies,
  readLines,
  unpackBody,
  unpackLine,
} from "../../../shared/events/event-archive.ts";
import type { RunEvents } from "../../../shared/events/event.ts";
import { runOf, startEventBuckets } from "../../support/event-world.ts";

const folder = "accounts/acct_1/runs/wlrun_1/";
const megabyte = 1024 * 1024;
let buckets: Awaited<ReturnType<typeof startEventBuckets>>;
let bucket: string;
let stored: EventBodies;
/** Keys of the objects that were put, in order. */
let puts: string[];
let gets: { key: string; range: ByteRange | undefined }[];
let bodies: EventBodies;
beforeAll(async () => {
  buckets = await startEventBuckets();
});
afterAll(() => buckets.stop());
beforeEach(() => {
  bucket = buckets.create();
  stored = s3EventBodies(buckets.s3, bucket);
  puts = [];
  gets = [];
  bodies = {
    async put(key, bytes) {
      await stored.put(key, bytes);
      puts.push(key.slice(folder.length));
    },
    get(key, range) {
      gets.push({ key: key.slice(folder.length), range });
      return stored.get(key, range);
    },
  };
});

const small = runOf({ "watchlist.product.changed": 3, "watchlist.product.matched": 2 });
/**
 * Returns random Base64 text of about `bytes` bytes. Gzip compresses it to about 3/4 of this size.
 */
const noise = (bytes: number): string => randomBytes((bytes * 3) / 4).toString("base64");
/** Returns a run whose changed events have bodies that gzip compresses to about these sizes. */
const noisy = (megabytes: readonly number[]): RunEvents =>
  runOf(
    { "watchlist.product.changed": megabytes.length },
    {
      text: (type, part) =>
        type === "watchlist.run.completed"
          ? ""
          : noise(((megabytes[part - 1] ?? 0) * megabyte * 4) / 3),
    },
  );

const archivedRun = async (run: RunEvents, into: EventBodies) =>
  (await archiveRun(run, into)).archived;

async function objects(): Promise<string[]> {
  const { Contents = [] } = await buckets.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.map(({ Key = "" }) => Key);
}
const object = async (name: string): Promise<Uint8Array> =>
  (await stored.get(`${folder}${name}`)) ?? new Uint8Array();

async function lines(run: RunEvents, events: readonly ArchivedEvent[]) {
  const read: (string | null)[] = [];
  for await (const { event, gzip } of readLines(run, events, bodies)) {
    expect(event).toBe(events[read.length]);
    read.push(gzip === null ? null : Buffer.from(unpackBody(gzip)).toString());
  }
  return read;
}

describe("archiveRun, which stores the events of a run,", () => {
  it("stores the events of a small run in one chunk of gzipped JSONL, and then stores the index", async () => {
    await archiveRun(small, bodies);

    expect(puts).toEqual(["events-00001.jsonl.gz", "run.json.gz"]);
    const text = gunzipSync(await object("events-00001.jsonl.gz")).toString();
    expect(text).toBe(small.events.map(({ body }) => `${body}\n`).join(""));
  });

  it("writes an index of version 1 without a version field", async () => {
    await archiveRun(small, bodies);
    const index = JSON.parse(gunzipSync(await object("run.json.gz")).toString()) as object;
    expect(index).not.toHaveProperty("stored_version");
  });

  it("returns the index, with the digests and locations of all events", async () => {
    const { archived } = await archiveRun(small, bodies);
    const chunk = await object("events-00001.jsonl.gz");

    expect(await readRunIndex(small, bodies)).toEqual(archived);
    expect(archived).toMatchObject({
      watchlistId: "wl_1",
      runId: "wlrun_1",
      runNumber: 7,
      runStartedAt: "2026-11-20T09:59:00.000Z",
    });
    expect(archived.events).toEqual(
      small.events.map(({ id, type, createdAt, items, body }, n) => {
        const { offset, gzip } = archived.events[n] as ArchivedEvent;
        const line = Buffer.from(`${body}\n`);
        const member = chunk.subarray(offset, offset + gzip.bytes);
        expect(gunzipSync(member)).toEqual(line);
        return {
          id,
          type,
          createdAt,
          items,
          chunk: 1,
          offset,
          line: { bytes: line.length, sha256: sha256(line) },
          gzip: { bytes: member.length, sha256: sha256(member) },
        };
      }),
    );
  });

  it("writes an identical index if the keys of the snapshot file are in another order", async () => {
    const [name, digest] = ["0a1b2c", sha256(Buffer.from("items"))];
    await archiveRun({ ...small, snapshot: { name, rows: 1, bytes: 5, sha256: digest } }, bodies);
    const first = await object("run.json.gz");
    const other = { sha256: digest, bytes: 5, rows: 1, name };
    await archiveRun({ ...small, snapshot: other }, bodies);

    expect(await object("run.json.gz")).toEqual(first);
    expect(await readRunIndex(small, bodies)).toMatchObject({ snapshot: other });
  });

  it("writes identical objects when the function is called again for the same run", async () => {
    await archiveRun(small, bodies);
    const first = await Promise.all(["events-00001.jsonl.gz", "run.json.gz"].map(object));
    await archiveRun(small, bodies);

    expect(await Promise.all(["events-00001.jsonl.gz", "run.json.gz"].map(object))).toEqual(first);
    expect(await objects()).toHaveLength(2);
  });

  it("limits chunks to 2 MiB, and stores a larger event in a separate chunk", async () => {
    const run = noisy([0.75, 0.75, 0.75, 2.25, 0.25, 1.875]);
    const { archived } = await archiveRun(run, bodies);

    expect(archived.events.map(({ chunk }) => chunk)).toEqual([1, 1, 2, 3, 4, 5, 5]);
    expect(puts).toEqual(
      [1, 2, 3, 4, 5].map((n) => `events-0000${n}.jsonl.gz`).concat("run.json.gz"),
    );
    for (const n of [1, 2, 4, 5]) {
      expect((await object(`events-0000${n}.jsonl.gz`)).length).toBeLessThanOrEqual(2 * megabyte);
    }
    const text = (await Promise.all([1, 2, 3, 4, 5].map((n) => object(`events-0000${n}.jsonl.gz`))))
      .map((bytes) => gunzipSync(bytes).toString())
      .join("");
    expect(text === run.events.map(({ body }) => `${body}\n`).join("")).toBe(true);
  });

  it("stores no index if the storage of a chunk failed", async () => {
    const failing: EventBodies = {
      ...stored,
      put: (key, bytes) =>
        key.includes("events-00002") ? Promise.reject(new Error("down")) : stored.put(key, bytes),
    };
    await expect(archiveRun(noisy([1.25, 1.25]), failing)).rejects.toThrow("down");

    expect(await readRunIndex(small, bodies)).toBeNull();
  });
});

describe("a read of archived events", () => {
  it("refuses an index of an unknown version", async () => {
    await archiveRun(small, bodies);
    const index = JSON.parse(gunzipSync(await object("run.json.gz")).toString()) as object;
    const later = gzipSync(JSON.stringify({ ...index, stored_version: 2 }));
    await stored.put(`${folder}run.json.gz`, later);
    await expect(readRunIndex(small, bodies)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      cause: expect.stringContaining(
        `Object ${folder}run.json.gz has version 2, and this release accepts 1.`,
      ) as string,
    });
  });

  it("returns the compressed line of one event and fetches only its bytes", async () => {
    const { archived } = await archiveRun(small, bodies);
    for (const [n, event] of archived.events.entries()) {
      gets = [];
      const gzip = (await readLine(small, event, bodies)) ?? new Uint8Array();
      expect(Buffer.from(unpackLine(gzip)).toString()).toBe(`${small.events[n]?.body}\n`);
      expect(sha256(gzip)).toBe(event.gzip.sha256);
      const range = { start: event.offset, end: event.offset + event.gzip.bytes };
      expect(gets).toEqual([{ key: "events-00001.jsonl.gz", range }]);
    }
  });

  it("returns all lines in order, with one request per chunk", async () => {
    const run = noisy([0.75, 0.75, 0.75, 2.25, 0.25, 1.875]);
    const { events } = await archivedRun(run, bodies);

    expect((await lines(run, events)).every((body, n) => body === run.events[n]?.body)).toBe(true);
    expect(gets.map(({ key }) => key)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `events-0000${n}.jsonl.gz`),
    );
  });

  it("returns only the requested lines in the requested order, including repeated lines", async () => {
    const { events } = await archivedRun(small, bodies);
    const order = [5, 0, 2, 2, 1, 4];
    const asked = order.map((n) => events[n] as ArchivedEvent);

    expect(await lines(small, asked)).toEqual(order.map((n) => small.events[n]?.body));
    expect(await lines(small, [])).toEqual([]);
  });

  it("does not fetch the bytes between two distant events", async () => {
    const run = noisy([0.25, 1, 0.25]);
    const { events } = await archivedRun(run, bodies);
    const apart = [events[0], events[2]] as ArchivedEvent[];

    expect(await lines(run, apart)).toEqual([run.events[0]?.body, run.events[2]?.body]);
    const fetched = gets.map(({ range }) => (range?.end ?? 0) - (range?.start ?? 0));
    expect(fetched).toEqual(apart.map(({ gzip }) => gzip.bytes));
  });

  it("returns the requested lines if two of them have adjacent byte ranges in different chunks", async () => {
    const run = noisy([0.75, 0.75, 0.775, 0.75]);
    const { events } = await archivedRun(run, bodies);
    const asked = [events[0], events[3]] as ArchivedEvent[];

    expect(asked.map(({ chunk }) => chunk)).toEqual([1, 2]);
    const read = await lines(run, asked);
    expect(read.map((body) => body === null)).toEqual([false, false]);
    expect([read[0] === run.events[0]?.body, read[1] === run.events[3]?.body]).toEqual([
      true,
      true,
    ]);
  });

  it("fetches a chunk only when the reader requests the first line of the chunk", async () => {
    const run = noisy([1.25, 1.25]);
    const { events } = await archivedRun(run, bodies);
    const reading = readLines(run, events, bodies);
    await reading.next();
    expect(gets).toHaveLength(1);
    await reading.next();
    expect(gets).toHaveLength(2);
    await reading.return(undefined);
  });

  it("returns null for an expired index or chunk", async () => {
    const run = noisy([1.25, 1.25]);
    const { events } = await archivedRun(run, bodies);
    const [first, second] = events as [ArchivedEvent, ArchivedEvent];
    await remove("events-00001.jsonl.gz");
    await remove("run.json.gz");

    expect(await readRunIndex(run, bodies)).toBeNull();
    expect(await readLine(run, first, bodies)).toBeNull();
    expect((await lines(run, [first, second])).map((body) => body === null)).toEqual([true, false]);
  });

  it("finds a run only under its own account and run ID", async () => {
    await archiveRun(small, bodies);
    expect(await readRunIndex({ accountId: "acct_2", runId: "wlrun_1" }, bodies)).toBeNull();
    expect(await readRunIndex({ accountId: "acct_1", runId: "wlrun_2" }, bodies)).toBeNull();
  });

  it("throws if a chunk is shorter than the index states", async () => {
    const { events } = await archivedRun(small, bodies);
    const last = events.at(-1) as ArchivedEvent;
    const chunk = await object("events-00001.jsonl.gz");
    await stored.put(`${folder}events-00001.jsonl.gz`, chunk.subarray(0, -1));
    await expect(readLine(small, last, bodies)).rejects.toThrow("whole");
    await expect(lines(small, events)).rejects.toThrow("whole");
    await stored.put(`${folder}events-00001.jsonl.gz`, chunk.subarray(0, 10));
    await expect(readLine(small, last, bodies)).rejects.toThrow(/range/i);
  });
});

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const remove = (name: string) =>
  buckets.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${folder}${name}` }));

describe("the archive of a small run", () => {
  it("is returned to the caller instead of being stored as objects if the process writes the next row versions", async () => {
    const { small: archive } = await archiveRun(small, { ...bodies, writes: "next" });

    expect(archive).not.toBeNull();
    expect(puts).toEqual([]);
  });

  it.each(["current", "previous"] as const)(
    "is stored as objects if the process writes the row versions '%s'",
    async (writes) => {
      expect(await archiveRun(small, { ...bodies, writes })).toMatchObject({ small: null });
      expect(puts).toEqual(["events-00001.jsonl.gz", "run.json.gz"]);
    },
  );

  it("contains the same bytes as the objects that another process would store for this run", async () => {
    await archiveRun(small, bodies);
    const { small: archive } = await archiveRun(small, { ...bodies, writes: "next" });

    expect(archive?.lines).toEqual(Buffer.from(await object("events-00001.jsonl.gz")));
    expect(archive?.index).toEqual(Buffer.from(await object("run.json.gz")));
  });

  it("is read without a request for an object", async () => {
    const { small: archive } = await archiveRun(small, { ...bodies, writes: "next" });
    const index = await readRunIndex(small, { ...bodies, small: async () => archive });
    const events = index?.events ?? [];

    expect(await lines(small, events)).toEqual(small.events.map(({ body }) => body));
    const [first] = events;
    const line = first === undefined ? null : await readLine(small, first, bodies);
    expect(Buffer.from(unpackBody(line ?? new Uint8Array())).toString()).toBe(
      small.events[0]?.body,
    );
    expect(gets).toEqual([]);
  });

  it("has a limit of 8 KB, and archiveRun stores a larger run as objects", async () => {
    const run = noisy([0.01]);
    expect(await archiveRun(run, { ...bodies, writes: "next" })).toMatchObject({ small: null });
    expect(puts).toEqual(["events-00001.jsonl.gz", "run.json.gz"]);
  });
});
