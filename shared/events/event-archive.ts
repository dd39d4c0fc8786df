import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { array, type InferOutput, number, object, parse, picklist, string } from "valibot";
import { eventTypes, type RunEvents, type SerializedEvent } from "./event.ts";

/** The service's own store of what it has to send, kept for 30 days. */
export interface EventBodies {
  /** Repeating a put with the same key and bytes changes nothing. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Null when there is no such object, or not any more. */
  get(key: string): Promise<Uint8Array | null>;
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
    }),
  ),
});

type ObjectDigest = InferOutput<typeof objectDigest>;
/** A run's events in delivery order; the bodies are kept one by one beside it. */
export type ArchivedRun = InferOutput<typeof archivedRunFile>;
/** One stored event: a line of JSONL, as it is (`line`) and compressed, as it is kept (`gzip`). */
export type ArchivedEvent = ArchivedRun["events"][number];

export interface RunReference {
  readonly accountId: string;
  readonly runId: string;
}

/** Stores a run's events, each body once. Safe to repeat. */
export async function archiveRun(run: RunEvents, bodies: EventBodies): Promise<ArchivedRun> {
  const events: ArchivedEvent[] = [];
  for (const event of run.events) events.push(await archiveEvent(run, event, bodies));
  const { watchlistId, runId, runNumber, runStartedAt } = run;
  const archived = { watchlistId, runId, runNumber, runStartedAt, events };
  await bodies.put(`${folder(run)}run.json.gz`, gzipSync(JSON.stringify(archived)));
  return archived;
}

/** The events of a run, or null when they are not kept any more. */
export async function archivedRun(
  run: RunReference,
  bodies: EventBodies,
): Promise<ArchivedRun | null> {
  const bytes = await bodies.get(`${folder(run)}run.json.gz`);
  return bytes === null ? null : parse(archivedRunFile, JSON.parse(gunzipSync(bytes).toString()));
}

/** The compressed line of one event, or null when it is not kept any more. */
export const archivedLine = (
  run: RunReference,
  eventId: string,
  bodies: EventBodies,
): Promise<Uint8Array | null> => bodies.get(`${folder(run)}${eventId}.jsonl.gz`);

/** The line of JSONL in a compressed line. */
export const unpackLine = (gzip: Uint8Array): Uint8Array => gunzipSync(gzip);

/** The exact bytes that every attempt sends: the line without its line feed. */
export const unpackBody = (gzip: Uint8Array): Uint8Array => unpackLine(gzip).subarray(0, -1);

async function archiveEvent(
  run: RunReference,
  event: SerializedEvent,
  bodies: EventBodies,
): Promise<ArchivedEvent> {
  const line = Buffer.from(`${event.body}\n`);
  const gzip = gzipSync(line);
  await bodies.put(`${folder(run)}${event.id}.jsonl.gz`, gzip);
  const { id, type, createdAt, items } = event;
  return { id, type, createdAt, items, line: digestOf(line), gzip: digestOf(gzip) };
}

const folder = ({ accountId, runId }: RunReference): string =>
  `accounts/${accountId}/runs/${runId}/`;

const digestOf = (bytes: Uint8Array): ObjectDigest => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});
