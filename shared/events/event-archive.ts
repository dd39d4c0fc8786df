import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  array,
  type InferOutput,
  literal,
  number,
  object,
  optional,
  parse,
  picklist,
  record,
  string,
  unknown,
} from "valibot";
import { assert } from "../base/assert.ts";
import { objectKinds } from "../base/stored-kinds.ts";
import { readable, writable, type WrittenVersions } from "../base/stored-versions.ts";
import { eventTypes, type RunEventStream } from "./event.ts";
import { snapshotFile, type SnapshotFile } from "./snapshot-file.ts";

/** The archive of a small run as one row. Both members are gzip files. */
export interface SmallArchive {
  /** The index, as JSON. */
  readonly index: Uint8Array;
  /** The chunk with the lines of the events. */
  readonly lines: Uint8Array;
}

/**
 * Stores event bodies for `limits.eventBodyDays` days, in the service's bucket. The bodies of a
 * small run, whose archive has at most 7.5 KB, may be in one row of a table instead.
 */
export interface EventBodies {
  /** Which versions of objects and kinds of rows the process writes. @default current */
  readonly writes?: WrittenVersions;
  /**
   * Reads the row of a small run, which the publisher writes. Returns null if the run has no row:
   * its events are in objects, or have expired. If this function is absent, the events of all runs
   * are in objects.
   */
  readonly small?: (run: RunReference) => Promise<SmallArchive | null>;
  /** Writes an object. Idempotent if the key and the bytes are the same. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object or a range of its bytes. Null if the object does not exist or has expired. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | null>;
}

/**
 * A range of bytes from `start` (counted from 0) to `end` (exclusive). Contains at least one byte.
 */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Size and SHA-256 of an object. `sha256` is in hexadecimal digits. */
const objectDigest = object({ bytes: number(), sha256: string() });

const archivedRunFile = object({
  watchlistId: string(),
  runId: string(),
  runNumber: number(),
  runStartedAt: string(),
  isHoldNotice: optional(literal(true)),
  snapshot: optional(snapshotFile),
  events: array(
    object({
      id: string(),
      type: picklist(eventTypes),
      createdAt: string(),
      items: number(),
      line: objectDigest,
      gzip: objectDigest,
      chunk: number(),
      offset: number(),
    }),
  ),
});

/** An index of any version. */
const storedIndex = record(string(), unknown());

type ObjectDigest = InferOutput<typeof objectDigest>;
type RunIndex = InferOutput<typeof archivedRunFile>;
/**
 * An archived event. `line` has the size and digest of its JSONL line, and `gzip` those of the
 * compressed line (a gzip member). The member starts at byte `offset` of the chunk with the number
 * `chunk`, from 1.
 */
export type ArchivedEvent = RunIndex["events"][number] & {
  /** The gzip member, if it was read together with the index. */
  readonly member?: Uint8Array;
};
/** The index of a run's events: the events in delivery order, with the location of their bytes. */
export type ArchivedRun = Omit<RunIndex, "events"> & { readonly events: readonly ArchivedEvent[] };

export interface RunReference {
  readonly accountId: string;
  readonly runId: string;
}

/**
 * Maximum size of a chunk, in bytes. A compressed event that is larger gets a separate chunk. One
 * read fetches at most one chunk, so the maximum limits the memory of a process that reads for
 * dozens of runs in parallel.
 */
const chunkBytesMax = 2 * 1024 * 1024;
/**
 * Compression level 3 takes a third of the time of the default level and produces 6% more bytes.
 */
const compression = { level: 3 };
/** Number of bytes at the end of a gzip file that contain the uncompressed size. */
const sizeBytes = 4;
/** Extra bytes of the output buffer. zlib needs some free space to detect the end of the data. */
const roomBytes = 64;
/**
 * Maximum gap, in bytes, between two events that are fetched in one read. Fetching the gap costs
 * less than another read.
 */
const gapBytesMax = 256 * 1024;

/**
 * Maximum size of a small archive in bytes. A transaction costs 2 write units per KB, so a row of
 * 8 KB costs as much as the two objects that it replaces. The other attributes of the row, such as
 * its key, have at most 512 bytes.
 */
const smallBytesMax = 8 * 1024 - 512;

/**
 * Archives a run's events as objects. First writes the chunks (gzip files with the compressed lines
 * of the events), and then the index. If the index exists, all chunks therefore exist. Idempotent.
 * Keeps at most one chunk in memory. Stores nothing for a run without events.
 * @returns `archived` is the index of the events. `small` is not null if the caller must store the
 * archive as a row: the process writes the `next` kinds of rows, and the archive has at most
 * `smallBytesMax` bytes. The function then stores nothing.
 */
export async function archiveRun(
  run: RunEventStream,
  bodies: EventBodies,
): Promise<{ readonly archived: ArchivedRun; readonly small: SmallArchive | null }> {
  const { archived, ...packed } = await packRun(run, bodies);
  const { index, lines, chunk } = packed;
  if (archived.events.length === 0) return { archived, small: null };
  const isSmall = chunk === 1 && index.length + lines.length <= smallBytesMax;
  if (bodies.writes === "next" && isSmall) return { archived, small: { index, lines } };
  await putRest(run, packed, bodies);
  return { archived, small: null };
}

interface PackedRun extends SmallArchive {
  readonly archived: ArchivedRun;
  /** The number of the last chunk. `lines` contains this chunk; all earlier chunks are stored. */
  readonly chunk: number;
}

/** Compresses a run's events, and stores all chunks except the last one. */
async function packRun(run: RunEventStream, bodies: EventBodies): Promise<PackedRun> {
  const events: ArchivedEvent[] = [];
  let members: Uint8Array[] = [];
  let chunk = 1;
  let offset = 0;
  for await (const { id, type, createdAt, items, body } of run.events) {
    const line = Buffer.from(`${body}\n`);
    const gzip = gzipSync(line, compression);
    if (offset > 0 && offset + gzip.length > chunkBytesMax) {
      await bodies.put(chunkKey(run, chunk), Buffer.concat(members));
      members = [];
      chunk += 1;
      offset = 0;
    }
    const digests = { line: digestOf(line), gzip: digestOf(gzip) };
    events.push({ id, type, createdAt, items, ...digests, chunk, offset });
    members.push(gzip);
    offset += gzip.length;
  }
  const { watchlistId, runId, runNumber, runStartedAt, isHoldNotice, snapshot } = run;
  const archived = {
    watchlistId,
    runId,
    runNumber,
    runStartedAt,
    events,
    ...(isHoldNotice === true && { isHoldNotice }),
    // DynamoDB does not keep the order of keys. `parse` restores it, so that all attempts write the
    // same bytes.
    ...(snapshot !== undefined && { snapshot: parse(snapshotFile, snapshot) }),
  };
  const stored = writable(objectKinds.runIndex, archived, bodies.writes ?? "current");
  const index = gzipSync(JSON.stringify(stored));
  return { archived, index, lines: Buffer.concat(members), chunk };
}

/** Stores the last chunk of a run, and then the index. */
async function putRest(
  run: RunReference,
  { index, lines, chunk }: Omit<PackedRun, "archived">,
  bodies: EventBodies,
): Promise<void> {
  if (lines.length > 0) await bodies.put(chunkKey(run, chunk), lines);
  await bodies.put(indexKey(run), index);
}

/**
 * Reads the index of a run's events. Returns null if the index has expired or was never written.
 * @throws 503 UNAVAILABLE if this release does not accept the version of the index
 */
export async function readRunIndex(
  run: RunReference,
  bodies: EventBodies,
): Promise<ArchivedRun | null> {
  const small = (await bodies.small?.(run)) ?? null;
  if (small !== null) {
    return withMembers(indexIn(small.index, `The archive row of ${run.runId}`), small.lines);
  }
  const bytes = await bodies.get(indexKey(run));
  return bytes === null ? null : indexIn(bytes, `Object ${indexKey(run)}`);
}

/**
 * Parses the compressed index of a run's events.
 * @param name names the index in the error
 * @throws 503 UNAVAILABLE if this release does not accept the version of the index
 */
function indexIn(bytes: Uint8Array, name: string): RunIndex {
  const stored = parse(storedIndex, JSON.parse(gunzipSync(bytes).toString()));
  return parse(archivedRunFile, readable(objectKinds.runIndex, stored, name));
}

const withMembers = (index: RunIndex, lines: Uint8Array): ArchivedRun => ({
  ...index,
  events: index.events.map((event) => ({
    ...event,
    member: lines.subarray(event.offset, endOf(event)),
  })),
});

/** Stores the bytes of a run's snapshot file under the name of the file. */
export const putSnapshot = (
  run: RunReference,
  { name }: Pick<SnapshotFile, "name">,
  { bytes, bodies }: { readonly bytes: Uint8Array; readonly bodies: EventBodies },
): Promise<void> => bodies.put(snapshotFileKey(run, name), bytes);

/** Reads the snapshot file of a run. Returns null if the file has expired. */
export const readSnapshot = (
  run: RunReference,
  { name }: Pick<SnapshotFile, "name">,
  bodies: EventBodies,
): Promise<Uint8Array | null> => bodies.get(snapshotFileKey(run, name));

/** Reads the compressed JSONL line of one event of a run. Returns null if the event has expired. */
export async function readLine(
  run: RunReference,
  event: ArchivedEvent,
  bodies: EventBodies,
): Promise<Uint8Array | null> {
  if (event.member !== undefined) return event.member;
  const range = { start: event.offset, end: endOf(event) };
  const bytes = await bodies.get(chunkKey(run, event.chunk), range);
  if (bytes !== null)
    assert(bytes.length === event.gzip.bytes, "a read of a chunk must return the whole range");
  return bytes;
}

/**
 * Yields the compressed JSONL lines of events of a run, in the order of `events`. The line of an
 * expired event is null. Reads adjacent lines in one request.
 */
export async function* readLines(
  run: RunReference,
  events: readonly ArchivedEvent[],
  bodies: EventBodies,
): AsyncGenerator<{ readonly event: ArchivedEvent; readonly gzip: Uint8Array | null }> {
  for (const event of events) {
    if (event.member !== undefined) yield { event, gzip: event.member };
  }
  // Either all events of a run have their gzip members (`member`), or none of them has.
  for (const span of spansOf(events.filter(({ member }) => member === undefined))) {
    const { chunk, start, end } = span;
    const bytes = await bodies.get(chunkKey(run, chunk), { start, end });
    if (bytes !== null)
      assert(bytes.length === end - start, "a read of a chunk must return the whole range");
    for (const event of span.events) {
      yield { event, gzip: bytes?.subarray(event.offset - start, endOf(event) - start) ?? null };
    }
  }
}

/** Decompresses the JSONL line of an event. The result includes the line feed. */
export function unpackLine(gzip: Uint8Array): Uint8Array {
  // A gzip file ends with its uncompressed size. With one buffer of this size, zlib need not copy
  // chunks.
  const size = Buffer.from(gzip.buffer, gzip.byteOffset, gzip.byteLength).readUInt32LE(
    gzip.length - sizeBytes,
  );
  return gunzipSync(gzip, { chunkSize: size + roomBytes });
}

/** Decompresses the body of an event's deliveries: its JSONL line without the line feed. */
export const unpackBody = (gzip: Uint8Array): Uint8Array => unpackLine(gzip).subarray(0, -1);

interface Span {
  readonly chunk: number;
  readonly start: number;
  end: number;
  readonly events: ArchivedEvent[];
}

/**
 * Groups adjacent events of an object into spans, each of which one request reads. Keeps the order
 * of the events.
 */
function spansOf(events: readonly ArchivedEvent[]): readonly Span[] {
  const spans: Span[] = [];
  for (const event of events) {
    const last = spans.at(-1);
    const end = endOf(event);
    if (last !== undefined && isNear(event, last)) {
      last.end = end;
      last.events.push(event);
    } else {
      spans.push({ chunk: event.chunk, start: event.offset, end, events: [event] });
    }
  }
  return spans;
}

const isNear = (event: ArchivedEvent, { chunk, end }: Span): boolean =>
  event.chunk === chunk && event.offset >= end && event.offset - end <= gapBytesMax;

const endOf = ({ offset, gzip }: ArchivedEvent): number => offset + gzip.bytes;

const folder = ({ accountId, runId }: RunReference): string =>
  `accounts/${accountId}/runs/${runId}/`;

const indexKey = (run: RunReference): string => `${folder(run)}run.json.gz`;

const chunkKey = (run: RunReference, chunk: number): string =>
  `${folder(run)}events-${String(chunk).padStart(5, "0")}.jsonl.gz`;

const snapshotFileKey = (run: RunReference, name: string): string =>
  `${folder(run)}items-${name}.parquet`;

const digestOf = (bytes: Uint8Array): ObjectDigest => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});
