import { object, parse, unknown } from "valibot";
import { assert } from "../base/assert.ts";
import {
  type ArchivedEvent,
  type ArchivedRun,
  readLine,
  type EventBodies,
  readLines,
  unpackBody,
  unpackLine,
} from "../events/event-archive.ts";
import type { TimeSlice } from "../outbox/drain.ts";
import type { BucketOutcome, CustomerBucket } from "./customer-bucket.ts";
import type { Compression } from "./destination.ts";
import type { ExportRecord } from "./export-record.ts";
import { presentManifest, sizeAndDigestOf } from "./manifest.ts";
import { folderOf, manifestKey, objectKey } from "./object-key.ts";
import type { WrittenFile } from "./manifest-schema.ts";
import { writeRows } from "./write-rows.ts";
import { writeSnapshot } from "./write-snapshot.ts";

/** Number of writes in parallel. Each uses a separate connection, which stays open. */
export const putsAtOnce = 4;

/** A run to write to the customer's bucket, and its format. */
export interface WriteSubject {
  readonly accountId: string;
  readonly run: ArchivedRun;
  /** Prefix of every object key. */
  readonly prefix: string;
  /** Format of the run's objects. */
  readonly compression: Compression;
  /** True also writes the changes of the run as a Parquet file. */
  readonly rows: boolean;
  /** True also writes the Parquet file with the items at the end of the run, if the run has one. */
  readonly snapshot: boolean;
  readonly bucket: CustomerBucket;
  /** The export record before this attempt. */
  readonly record: ExportRecord;
}

/** The end of an attempt. `record` is the export record after it. */
export type WriteOutcome = { readonly record: ExportRecord } & (
  | { readonly outcome: "written" }
  /** The time slice has ended. */
  | { readonly outcome: "paused" }
  /** The events have expired. */
  | { readonly outcome: "expired" }
  | { readonly outcome: "failed"; readonly reason: string }
);

interface Writing {
  readonly bodies: EventBodies;
  readonly slice: TimeSlice<ExportRecord>;
}

/**
 * Writes the remaining events of a run (those that `record` does not count as exported), in order,
 * then the Parquet files that the destination includes, and then the manifest. Stops at the end of
 * the time slice or at a failure. The outcome contains the updated record and the reason for the
 * stop.
 */
export async function writeRun(subject: WriteSubject, writing: Writing): Promise<WriteOutcome> {
  const objects = await writeObjects(subject, writing);
  const { record, stop } = objects;
  if (stop !== null) return { record, ...stop };
  const rows = subject.rows ? await writeRows(subject, writing.bodies) : noFile;
  if (rows.outcome !== "written") return { record, ...rows };
  const snapshot = subject.snapshot ? await writeSnapshot(subject, writing.bodies) : noFile;
  if (snapshot.outcome !== "written") return { record, ...snapshot };
  const files = { rows: rows.file, snapshot: snapshot.file };
  const manifest = await writeManifest(subject, writing.bodies, files);
  return manifest.outcome === "failed" ? { record, ...manifest } : { record, outcome: "written" };
}

const noFile = { outcome: "written", file: null } as const;

type Stop =
  | { readonly outcome: "paused" | "expired" }
  | { readonly outcome: "failed"; readonly reason: string };

/**
 * Writes one object per remaining event, several in parallel. `stop` is null after the last one.
 */
async function writeObjects(
  { accountId, run, bucket, record: start, ...format }: WriteSubject,
  { bodies, slice }: Writing,
): Promise<{ readonly record: ExportRecord; readonly stop: Stop | null }> {
  const { events, runId } = run;
  let record = start;
  let stop: Stop | null = null;
  let taken = start.objects;
  const written = new Set<number>();
  const lines = readLines({ accountId, runId }, events.slice(taken), bodies);
  const writeNext = async (): Promise<boolean> => {
    stop ??= slice.isOver() ? { outcome: "paused" } : null;
    if (stop !== null) return false;
    const position = taken;
    taken += 1;
    const line = await lines.next();
    if (line.done === true) return false;
    const { event, gzip } = line.value;
    const put =
      gzip === null
        ? ({ outcome: "expired" } as const)
        : await bucket.put(objectOf({ run, event, position, gzip }, format));
    if (put.outcome !== "done") {
      stop ??= put;
      return false;
    }
    written.add(position);
    const next = recordProgress(record, { run, written, ...format });
    if (next === record) return true;
    record = next;
    await slice.record({ records: [record] });
    return true;
  };
  const track = async (): Promise<void> => {
    try {
      while (await writeNext());
    } catch (error) {
      stop ??= { outcome: "paused" };
      throw error;
    }
  };
  const tracks = await Promise.allSettled(Array.from({ length: putsAtOnce }, track));
  await lines.return(undefined);
  for (const ended of tracks) if (ended.status === "rejected") throw ended.reason;
  return { record, stop };
}

/**
 * Returns the export record after a write. Counts only the events before the first one that is
 * missing, so the next attempt may write later events again.
 */
function recordProgress(
  record: ExportRecord,
  state: {
    readonly run: ArchivedRun;
    readonly written: ReadonlySet<number>;
    readonly compression: Compression;
  },
): ExportRecord {
  let { objects, bytes } = record;
  for (; state.written.has(objects); objects += 1) {
    const event = state.run.events[objects];
    assert(event !== undefined, "every written object must belong to an event of the run");
    bytes += sizeAndDigestOf(event, state.compression).bytes;
  }
  // An attempt that exported an event restarts the retry schedule.
  return objects === record.objects ? record : { ...record, objects, bytes, tries: 0 };
}

interface Line {
  readonly run: ArchivedRun;
  readonly event: ArchivedEvent;
  readonly position: number;
  readonly gzip: Uint8Array;
}

/** Returns the object of one event: its key, its bytes in the format of the run, and its type. */
function objectOf(
  { run, event, position, gzip }: Line,
  { prefix, compression }: Pick<WriteSubject, "prefix" | "compression">,
) {
  const name = { number: position + 1, type: event.type, eventId: event.id, compression };
  return {
    key: objectKey(folderOf(run, prefix), name),
    bytes: compression === "gzip" ? gzip : unpackLine(gzip),
    // There is no Content-Encoding. With it, clients would decompress the object and save plain
    // text in a file named .gz.
    contentType: compression === "gzip" ? "application/gzip" : "application/x-ndjson",
  };
}

/** Writes the manifest of a run, which marks the export as complete. */
async function writeManifest(
  { accountId, run, prefix, compression, bucket }: WriteSubject,
  bodies: EventBodies,
  files: Readonly<Record<"rows" | "snapshot", WrittenFile | null>>,
): Promise<BucketOutcome> {
  const completed = run.events.find(({ type }) => type === "watchlist.run.completed");
  const line =
    completed === undefined
      ? null
      : await readLine({ accountId, runId: run.runId }, completed, bodies);
  const runObject = line === null ? null : dataOf(unpackBody(line));
  const manifest = presentManifest({ run, prefix, compression, runObject, ...files });
  return bucket.put({
    key: manifestKey(folderOf(run, prefix)),
    bytes: Buffer.from(JSON.stringify(manifest)),
    contentType: "application/json",
  });
}

const envelope = object({ data: unknown() });

const dataOf = (body: Uint8Array): unknown =>
  parse(envelope, JSON.parse(Buffer.from(body).toString())).data;
