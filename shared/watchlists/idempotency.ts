import { createHash } from "node:crypto";
import { invalidParam } from "../base/errors.ts";

/** Lifetime of an idempotency key, in milliseconds (specification, section "Limits"). */
export const keyMemoryMs = 24 * 60 * 60 * 1_000;
/** Duration of a lease on a creation, in milliseconds. Longer than the timeout of the Lambda. */
export const leaseMs = 35_000;
/**
 * Time in which a repeat completes an abandoned creation under its ID, in milliseconds. Much shorter
 * than the time after which the creation is purged (`purgeAfterMs`).
 */
export const takeOverMs = 15 * 60 * 1_000;

/** The stored record of a request with an idempotency key. */
export interface IdempotencyRecord {
  readonly accountId: string;
  /** SHA-256 of the key. */
  readonly keyHash: string;
  readonly bodyHash: string;
  /** Random ID of the lease holder until `leaseUntil`. */
  readonly owner: string;
  readonly leaseUntil: Date;
  /** ID of the watchlist that the request creates, fixed before its first write. */
  readonly watchlistId: string;
  readonly claimedAt: Date;
  /** Time at which the key expires. */
  readonly expiresAt: Date;
  /** The body of the 201 answer; null until the watchlist exists. */
  readonly answer: string | null;
}

/** Stores idempotency records by account and key. */
export interface IdempotencyStore {
  /** Stores the record unless its key has one. Returns the stored record. */
  open(record: IdempotencyRecord, now: Date): Promise<IdempotencyRecord>;
  /** Replaces an incomplete record if its owner is still `seen`; otherwise returns false. */
  takeOver(record: IdempotencyRecord, seen: string): Promise<boolean>;
  /** Deletes the record; false if another request has taken it over, or the request succeeded. */
  release(record: IdempotencyRecord): Promise<boolean>;
}

const keyLengthMax = 255;
const printable = /^[\u0020-\u007e]+$/;

/** The format of a key, for the OpenAPI document. */
export const idempotencyKeyRule = {
  minLength: 1,
  maxLength: keyLengthMax,
  pattern: "^[ -~]+$",
} as const;

/**
 * Returns the idempotency key of a request, which is in a header, in the body, or in both
 * (specification, section "POST /v1/watchlists").
 * @throws 400 with `param` = `idempotency_key`.
 */
export function parseIdempotencyKey(
  headers: readonly string[],
  field: string | undefined,
): string | undefined {
  const keys = new Set(field === undefined ? headers : [...headers, field]);
  if (keys.size > 1) {
    throw refused("The request has two different idempotency keys. Send only one.");
  }
  const [key] = keys;
  if (key === undefined) return undefined;
  if (key.length > keyLengthMax || !printable.test(key)) {
    throw refused(`An idempotency key must have 1 to ${keyLengthMax} printable ASCII characters.`);
  }
  return key;
}

const refused = (message: string): Error => invalidParam("idempotency_key", message);

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** SHA-256 of a body, independent of the order of its keys. */
export const bodyHashOf = (body: object): string => sha256(JSON.stringify(sorted(body)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
