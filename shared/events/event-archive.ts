import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { array, type InferOutput, number, object, parse, picklist, string } from "valibot";
import { assert } from "../base/assert.ts";
import { eventTypes, type RunEvents } from "./event.ts";

/** The service's own store of what it has to send, kept for 30 days. */
export interface EventBodies {
  /** Repeating a put with the same key and bytes changes nothing. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is no such object, or not any more. `range`: only those of its bytes. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | null>;
}

/** Bytes from `start`, the first being 0, up to and without `end`; at least one. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `sha256` is hexadecimal. */
const objectDigest = object({ bytes: number(), sha256: string() });

const archivedRunFile = object({
  watchlistId: string(),
  runId: string(),
  runNumber: number(),
  runStartedAt: string(),
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

type ObjectDigest = InferOutput<typeof objectDigest>;
/** The index of a run: its events in delivery order, and where each one's bytes stand. */
export type ArchivedRun = InferOutput<typeof archivedRunFile>;
/**
 * One stored event: a line of JSONL, as it is (`line`) and as a gzip member (`gzip`), which stands
 * in the run's chunk of that number, from 1 on, from byte `offset` on.
 */
export type ArchivedEvent = ArchivedRun["events"][number];

export interface RunReference {
  readonly accountId: string;
  readonly runId: string;
}

/**
 * A member that is larger has a chunk of its own. One read fetches a chunk at most, and a process
 * reads for dozens of runs at once.
 */
const chunkBytesMax = 2 * 1024 * 1024;
/** A third of the time of the usual level, for 6 % more bytes. */
const compression = { level: 3 };
/** Bytes at the end of a gzip file that hold its unpacked size. */
const sizeBytes = 4;
/** More than nothing, which zlib wants to see that the end is the end. */
const roomBytes = 64;
/** Reading so much too much costs less than another read. */
const gapBytesMax = 256 * 1024;

/**
 * Stores a run's events: their gzip members one after another in chunks, each of which is a gzip
 * file, and last the index. Who finds an index finds everything. Safe to repeat.
 */
export async function archiveRun(run: RunEvents, bodies: EventBodies): Promise<ArchivedRun> {
  const events: ArchivedEvent[] = [];
  let members: Uint8Array[] = [];
  let chunk = 1;
  let offset = 0;
  for (const { id, type, createdAt, items, body } of run.events) {
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
  if (members.length > 0) await bodies.put(chunkKey(run, chunk), Buffer.concat(members));
  const { watchlistId, runId, runNumber, runStartedAt } = run;
  const archived = { watchlistId, runId, runNumber, runStartedAt, events };
  await bodies.put(indexKey(run), gzipSync(JSON.stringify(archived)));
  return archived;
}

/** The events of a run, or null when they are not kept any more. */
export async function archivedRun(
  run: RunReference,
  bodies: EventBodies,
): Promise<ArchivedRun | null> {
  const bytes = await bodies.get(indexKey(run));
  return bytes === null ? null : parse(archivedRunFile, JSON.parse(gunzipSync(bytes).toString()));
}

/** The compressed line of one event, or null when it is not kept any more. */
export async function archivedLine(
  run: RunReference,
  event: ArchivedEvent,
  bodies: EventBodies,
): Promise<Uint8Array | null> {
  const range = { start: event.offset, end: endOf(event) };
  const bytes = await bodies.get(chunkKey(run, event.chunk), range);
  if (bytes !== null) assert(bytes.length === event.gzip.bytes, "a chunk has its events whole");
  return bytes;
}

/**
 * The compressed lines of events of a run, in the order asked, null for one that is not kept any
 * more. Events that stand together are fetched together, when the first of them is asked for.
 */
export async function* readLines(
  run: RunReference,
  events: readonly ArchivedEvent[],
  bodies: EventBodies,
): AsyncGenerator<{ readonly event: ArchivedEvent; readonly gzip: Uint8Array | null }> {
  for (const span of spansOf(events)) {
    const { chunk, start, end } = span;
    const bytes = await bodies.get(chunkKey(run, chunk), { start, end });
    if (bytes !== null) assert(bytes.length === end - start, "a chunk has its events whole");
    for (const event of span.events) {
      yield { event, gzip: bytes?.subarray(event.offset - start, endOf(event) - start) ?? null };
    }
  }
}

/** The line of JSONL in a compressed line. */
export function unpackLine(gzip: Uint8Array): Uint8Array {
  // A gzip file ends with its unpacked size: given room for all of it, zlib copies nothing together.
  const size = Buffer.from(gzip.buffer, gzip.byteOffset, gzip.byteLength).readUInt32LE(
    gzip.length - sizeBytes,
  );
  return gunzipSync(gzip, { chunkSize: size + roomBytes });
}

/** The exact bytes that every attempt sends: the line without its line feed. */
export const unpackBody = (gzip: Uint8Array): Uint8Array => unpackLine(gzip).subarray(0, -1);

interface Span {
  readonly chunk: number;
  readonly start: number;
  end: number;
  readonly events: ArchivedEvent[];
}

/** Cuts events into reads, keeping their order. */
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

const digestOf = (bytes: Uint8Array): ObjectDigest => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});
