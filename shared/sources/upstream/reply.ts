import * as v from "valibot";
import type { SourceReply } from "../http/source-client.ts";
import { reportsError } from "../contract/reply-error.ts";
import { readingAgeMaxMs } from "../contract/reading-age.ts";

/** The result of one item, with unparsed `data`. `fetchedAt` is an ISO 8601 time in UTC. */
export interface UpstreamEntry {
  readonly status: "ok" | "partial" | "not_found" | "unavailable";
  readonly fetchedAt: string;
  readonly data: unknown;
  /** True if the server reported `not_found` in a reply that also reported an error. */
  readonly isDowngraded?: true;
}

const reply = v.object({ results: v.array(v.unknown()) });

/** An ID, which a server may send as a string or a number. */
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
 * Parses a reply of an upstream server to entries by key. Returns null if the body has no list of
 * results. Ignores invalid results. If two results have the same key, uses the first one. An entry
 * is `unavailable` if its data is older than a day at `now`, or if its `fetchedAt` is invalid. In a
 * reply that reports an error, `not_found` becomes `unavailable`, because the server may not have
 * searched for the item.
 * @param keyOf returns the key of a result, such as its item ID
 */
export function parseUpstreamReply(
  { body, headers }: Extract<SourceReply, { kind: "answered" }>,
  keyOf: (result: UpstreamResult) => string,
  now: Date,
): ReadonlyMap<string, UpstreamEntry> | null {
  const json = parseJson(decode(body, headers.get("content-type") ?? ""));
  const parsed = v.safeParse(reply, json);
  if (!parsed.success) return null;
  const hasError = reportsError(json);
  const entries = new Map<string, UpstreamEntry>();
  for (const one of parsed.output.results) {
    const read = v.safeParse(result, one);
    if (!read.success) continue;
    const key = keyOf(read.output);
    if (entries.has(key)) continue;
    const entry = entryOf(read.output, now);
    entries.set(key, hasError ? downgrade(entry) : entry);
  }
  return entries;
}

/**
 * Returns a `not_found` entry as `unavailable`, marked as downgraded. Returns any other entry
 * unchanged.
 */
const downgrade = (entry: UpstreamEntry): UpstreamEntry =>
  entry.status === "not_found" ? { ...entry, status: "unavailable", isDowngraded: true } : entry;

/**
 * Converts a result to an entry. The entry is `unavailable` if the data is older than a day or
 * `fetchedAt` is invalid.
 */
function entryOf({ status, fetchedAt, data }: UpstreamResult, now: Date): UpstreamEntry {
  const readAtMs = readAt(fetchedAt, now);
  if (Number.isNaN(readAtMs) || now.getTime() - readAtMs > readingAgeMaxMs) {
    return { status: "unavailable", fetchedAt: now.toISOString(), data: undefined };
  }
  return { status, fetchedAt: new Date(readAtMs).toISOString(), data };
}

/**
 * Returns the time of the read in milliseconds since 1970; NaN for an invalid time. An absent or
 * null time, or one in the future (from a fast clock), counts as `now`.
 */
function readAt(fetchedAt: unknown, now: Date): number {
  if (fetchedAt === undefined || fetchedAt === null) return now.getTime();
  const read = v.safeParse(time, fetchedAt);
  return read.success ? Math.min(now.getTime(), Date.parse(read.output)) : Number.NaN;
}

/**
 * Decodes a body in the charset of its content type; the default is UTF-8. Returns undefined for an
 * unknown charset or invalid bytes.
 */
function decode(body: Uint8Array, contentType: string): string | undefined {
  const charset = /;\s*charset="?([\w.:-]+)"?/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** Parses a string as JSON. Returns undefined if the string is undefined or not JSON. */
function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
