import * as v from "valibot";
import type { SourceReply } from "../http/source-client.ts";
import { tellsOfTrouble } from "../contract/reply-trouble.ts";
import { readingAgeMaxMs } from "../contract/reading-age.ts";

/** One item's result, its `data` not looked at yet. `fetchedAt` is ISO 8601 UTC. */
export interface UpstreamEntry {
  readonly status: "ok" | "partial" | "not_found" | "unavailable";
  readonly fetchedAt: string;
  readonly data: unknown;
  /** Present where `not_found` was said beside an error, and is not believed. */
  readonly isDoubted?: true;
}

const reply = v.object({ results: v.array(v.unknown()) });

/** Ids are texts to the service; a server may hold them as numbers. */
const id = v.pipe(v.union([v.string(), v.pipe(v.number(), v.safeInteger())]), v.transform(String));

const result = v.object({
  id,
  asin: v.optional(id),
  status: v.picklist(["ok", "partial", "not_found", "unavailable"]),
  fetchedAt: v.optional(v.unknown()),
  data: v.optional(v.unknown()),
});

const time = v.pipe(v.string(), v.trim(), v.isoTimestamp());

export type UpstreamResult = v.InferOutput<typeof result>;

/**
 * Results of a reply by key; of two with one key the first counts, what is no result is left out.
 * Null when the whole is no reply. In a reply that tells of an error `not_found` is `unavailable`:
 * what was not found there may not have been looked for.
 */
export function parseUpstreamReply(
  { body, headers }: Extract<SourceReply, { kind: "answered" }>,
  keyOf: (result: UpstreamResult) => string,
  now: Date,
): ReadonlyMap<string, UpstreamEntry> | null {
  const json = parseJson(decoded(body, headers.get("content-type") ?? ""));
  const parsed = v.safeParse(reply, json);
  if (!parsed.success) return null;
  const isTroubled = tellsOfTrouble(json);
  const entries = new Map<string, UpstreamEntry>();
  for (const one of parsed.output.results) {
    const read = v.safeParse(result, one);
    if (!read.success) continue;
    const key = keyOf(read.output);
    if (entries.has(key)) continue;
    const entry = entryOf(read.output, now);
    entries.set(key, isTroubled ? believed(entry) : entry);
  }
  return entries;
}

/** As much of an entry as stands beside an error. */
const believed = (entry: UpstreamEntry): UpstreamEntry =>
  entry.status === "not_found" ? { ...entry, status: "unavailable", isDoubted: true } : entry;

/** What was read more than a day ago, or nobody can tell when, says nothing about now. */
function entryOf({ status, fetchedAt, data }: UpstreamResult, now: Date): UpstreamEntry {
  const readAtMs = readAt(fetchedAt, now);
  if (Number.isNaN(readAtMs) || now.getTime() - readAtMs > readingAgeMaxMs) {
    return { status: "unavailable", fetchedAt: now.toISOString(), data: undefined };
  }
  return { status, fetchedAt: new Date(readAtMs).toISOString(), data };
}

/**
 * Milliseconds since 1970; NaN for what is no time. A time in the future is a clock that runs ahead:
 * the reply was read now at the latest. Null is nothing said, as an absent one.
 */
function readAt(fetchedAt: unknown, now: Date): number {
  if (fetchedAt === undefined || fetchedAt === null) return now.getTime();
  const read = v.safeParse(time, fetchedAt);
  return read.success ? Math.min(now.getTime(), Date.parse(read.output)) : Number.NaN;
}

/** JSON is UTF-8; where a reply says that it is something else, it is taken at its word. */
function decoded(body: Uint8Array, contentType: string): string | undefined {
  const charset = /;\s*charset="?([\w.:-]+)"?/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
