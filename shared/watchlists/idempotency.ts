import { createHash } from "node:crypto";
import { invalidParam } from "../base/errors.ts";
import { formatValue } from "../base/shown-value.ts";

/** Lifetime of an idempotency key, in milliseconds (specification, section "Limits"). */
export const keyMemoryMs = 24 * 60 * 60 * 1_000;
/** Duration of the lease on a creation, in milliseconds. It exceeds the timeout of the Lambda. */
export const leaseMs = 35_000;
/**
 * Milliseconds during which a repeated request completes an abandoned creation with the same ID. It
 * is much shorter than `purgeAfterMs`, after which the creation is purged.
 */
export const takeOverMs = 15 * 60 * 1_000;

/** The stored record of a request with an idempotency key. */
export interface IdempotencyRecord {
  readonly accountId: string;
  /** SHA-256 of the key. */
  readonly keyHash: string;
  /** SHA-256 of the body. A request with the same key and another body is refused. */
  readonly bodyHash: string;
  /** Random ID of the request that has the lease until `leaseUntil`. */
  readonly owner: string;
  readonly leaseUntil: Date;
  /** ID of the watchlist that the request creates. It is chosen before the first write. */
  readonly watchlistId: string;
  /** Time at which the watchlist ID was chosen. */
  readonly claimedAt: Date;
  /** Time at which the key expires. */
  readonly expiresAt: Date;
  /** Body of the 201 response; null until the watchlist exists. */
  readonly answer: string | null;
}

/** Stores idempotency records by account and key. */
export interface IdempotencyStore {
  /**
   * Stores the record, unless its key already has an unexpired record. Returns the record that is
   * stored after the call. Its `owner` shows whether it is the given record or an earlier one.
   */
  open(record: IdempotencyRecord, now: Date): Promise<IdempotencyRecord>;
  /**
   * Replaces the stored record of an abandoned request. Returns false and writes nothing if that
   * record has a response, or if its owner is no longer `seen`.
   * @param seen owner of the stored record when the caller read it
   */
  takeOver(record: IdempotencyRecord, seen: string): Promise<boolean>;
  /** Deletes a record. Returns false if another request took it over, or if it has a response. */
  release(record: IdempotencyRecord): Promise<boolean>;
}

const keyLengthMax = 255;
const printable = /^[\u0020-\u007e]+$/;

/** Format of a key in the OpenAPI document. */
export const idempotencyKeyRule = {
  minLength: 1,
  maxLength: keyLengthMax,
  pattern: "^[ -~]+$",
} as const;

/**
 * Returns the idempotency key of a request from its headers and the field of its body
 * (specification, section "POST /v1/watchlists"). Returns undefined if the request has none. Equal
 * keys in several places count once.
 * @throws 400 with `param` = `idempotency_key` if two keys differ or a key is malformed.
 */
export function parseIdempotencyKey(
  headers: readonly string[],
  field: string | undefined,
): string | undefined {
  const keys = new Set(field === undefined ? headers : [...headers, field]);
  if (keys.size > 1) {
    throw invalidKey("The request has two different idempotency keys. Send only one.");
  }
  const [key] = keys;
  if (key === undefined) return undefined;
  if (key.length > keyLengthMax || !printable.test(key)) {
    throw invalidKey(
      `An idempotency key must have 1 to ${keyLengthMax} printable ASCII characters (got ${formatValue(key)}). Send another key.`,
    );
  }
  return key;
}

const invalidKey = (message: string): Error => invalidParam("idempotency_key", message);

/** Returns the SHA-256 of a string in UTF-8, as lower-case hexadecimal digits. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Returns the SHA-256 of a body as JSON. Independent of the order of object keys, even in nested
 * objects.
 */
export const bodyHashOf = (body: object): string => sha256(JSON.stringify(sortKeys(body)));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
