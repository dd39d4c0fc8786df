import { createHash } from "node:crypto";
import { invalidParam } from "../base/errors.ts";

/** How long a key is remembered (specification, section "Limits"). */
export const keyMemoryMs = 24 * 60 * 60 * 1_000;
/** Longer than the function that works under a lease may run. */
export const leaseMs = 35_000;
/**
 * An abandoned creation is finished under its own id within this time; its leftovers are removed
 * long after it (`purgeAfterMs`).
 */
export const takeOverMs = 15 * 60 * 1_000;

/** What is remembered of a request that carried an idempotency key. */
export interface IdempotencyRecord {
  readonly accountId: string;
  /** SHA-256 of the key. */
  readonly keyHash: string;
  readonly bodyHash: string;
  /** Whoever works on the request, until `leaseUntil`. */
  readonly owner: string;
  readonly leaseUntil: Date;
  /** Id of the list that the request creates, fixed before anything is written. */
  readonly watchlistId: string;
  readonly claimedAt: Date;
  /** When the key is forgotten. */
  readonly expiresAt: Date;
  /** The body of the 201, once the list exists. */
  readonly answer: string | null;
}

/** Requests with an idempotency key, by account and key. */
export interface IdempotencyStore {
  /** Keeps the record unless one is remembered under its key; the one that is kept then. */
  open(record: IdempotencyRecord, now: Date): Promise<IdempotencyRecord>;
  /** Replaces an unfinished record whose owner is still `seen`; false when it is not. */
  takeOver(record: IdempotencyRecord, seen: string): Promise<boolean>;
  /** Forgets the key; false when somebody else works under it by now, or the request succeeded. */
  release(record: IdempotencyRecord): Promise<boolean>;
}

const keyLengthMax = 255;
const printable = /^[\u0020-\u007e]+$/;

/** What a key looks like, for documents. */
export const idempotencyKeyRule = {
  minLength: 1,
  maxLength: keyLengthMax,
  pattern: "^[ -~]+$",
} as const;

/**
 * The idempotency key of a request: sent as a header, in the body, or the same in both
 * (specification, section "POST /v1/watchlists").
 * @throws 400 with `param` = `idempotency_key`.
 */
export function parseIdempotencyKey(
  headers: readonly string[],
  field: string | undefined,
): string | undefined {
  const keys = new Set(field === undefined ? headers : [...headers, field]);
  if (keys.size > 1) {
    throw refused("The call carries two different idempotency keys. Send one.");
  }
  const [key] = keys;
  if (key === undefined) return undefined;
  if (key.length > keyLengthMax || !printable.test(key)) {
    throw refused(`An idempotency key has 1 to ${keyLengthMax} printable ASCII characters.`);
  }
  return key;
}

const refused = (message: string): Error => invalidParam("idempotency_key", message);

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The same for bodies that say the same, in whatever order their keys come. */
export const bodyHashOf = (body: object): string => sha256(JSON.stringify(sorted(body)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
