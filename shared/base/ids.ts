import { createHash } from "node:crypto";
import { assert } from "./assert.ts";
import type { RandomSource } from "./clock.ts";

/** Prefixes of all IDs that clients see. */
export const idPrefix = {
  account: "acct_",
  apiKey: "key_",
  watchlist: "wl_",
  run: "wlrun_",
  backtest: "bt_",
  webhookEndpoint: "we_",
  delivery: "dlv_",
  export: "exp_",
  event: "evt_",
  request: "req_",
  creditTransaction: "ctx_",
} as const;
export type IdKind = keyof typeof idPrefix;

const idPatterns: ReadonlyMap<string, RegExp> = new Map(
  Object.entries(idPrefix).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}[0-9a-z]{24}$`)]),
);

/** Returns the pattern of an ID of this kind: the prefix of the kind and 24 characters. */
export function idPattern(kind: IdKind): RegExp {
  const pattern = idPatterns.get(kind);
  assert(pattern !== undefined, "every kind of ID must have a pattern");
  return pattern;
}

/**
 * Returns true if the string has the format of an ID of this kind. Every stored ID has this format,
 * so callers can refuse any other string without a lookup.
 */
export const isId = (kind: IdKind, text: string): boolean => idPattern(kind).test(text);

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 9;
const randomLength = 15;
const stampLength = 11;
const slotLength = 2;

/**
 * Returns the pattern of an ID that contains a time: an ID that `newId` or `derivedIdAt` returns.
 */
export const timedIdPattern = (kind: IdKind): RegExp =>
  new RegExp(`^${idPrefix[kind]}[${alphabet}]{${timeLength}}[0-9a-z]{${randomLength}}$`);

/**
 * Creates an ID that contains the time `now` in milliseconds and sorts by it. IDs of the same
 * millisecond differ in 75 random bits.
 */
export function newId(kind: IdKind, now: Date, random: RandomSource): string {
  const suffix = Array.from(random.bytes(randomLength), (byte) => alphabet.charAt(byte % 32));
  return idPrefix[kind] + timePart(now) + suffix.join("");
}

/** Derives an ID from `parts`. Equal parts always result in the same ID. */
export function derivedId(kind: IdKind, ...parts: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  return (
    idPrefix[kind] + Array.from(digest.subarray(0, 24), (b) => alphabet.charAt(b % 32)).join("")
  );
}

/**
 * Derives an ID from `parts`. The ID contains the time `at` in milliseconds, and IDs sort by this
 * time.
 */
export function derivedIdAt(
  kind: IdKind,
  at: Date,
  ...parts: readonly (string | number)[]
): string {
  const derived = derivedId(kind, ...parts).slice(idPrefix[kind].length);
  return idPrefix[kind] + timePart(at) + derived.slice(0, randomLength);
}

/**
 * Derives an ID from `owner` and `number`. The ID contains the number, and IDs sort by it.
 * @param number an integer from 0 to 2^45 - 1
 * @param owner the ID of the owner, such as the account. Resources of different owners get
 * different IDs.
 */
export function numberedId(kind: IdKind, number: number, owner: string): string {
  const derived = derivedId(kind, owner, number).slice(idPrefix[kind].length);
  return idPrefix[kind] + digits(number) + derived.slice(0, randomLength);
}

/**
 * Returns the number in an ID that `numberedId` derived for this owner; undefined for any other
 * string.
 */
export function numberOf(kind: IdKind, id: string, owner: string): number | undefined {
  const number = numberIn(kind, id);
  return numberedId(kind, number, owner) === id ? number : undefined;
}

/**
 * The place of a record in a sorted list. The ID of the record contains the place. Records sort by
 * stamp, and records with the same stamp by slot.
 */
export interface IdPlace {
  /** Microseconds since 1970. */
  readonly stamp: number;
  /** An integer from 0 to 1,023 that orders records with the same stamp. */
  readonly slot: number;
}

/**
 * Derives an ID that contains `stamp` and `slot`, so that IDs sort by stamp, then by slot. If the
 * stamp is from 2006 or later, the ID sorts after every `numberedId` of a number below 2^40.
 * @param owner The ID of the owner, such as the account. Resources of different owners get
 * different IDs.
 */
export function placedId(kind: IdKind, { stamp, slot }: IdPlace, owner: string): string {
  const derived = derivedId(kind, owner, stamp, slot).slice(idPrefix[kind].length);
  const place = digits(stamp, stampLength) + digits(slot, slotLength);
  return idPrefix[kind] + place + derived.slice(0, derived.length - place.length);
}

/**
 * Returns the stamp and slot from which `placedId` derived an ID of this owner. Returns undefined
 * for any other string.
 */
export function placeOf(kind: IdKind, id: string, owner: string): IdPlace | undefined {
  const stamp = numberIn(kind, id, { length: stampLength });
  const slot = numberIn(kind, id, { from: stampLength, length: slotLength });
  return placedId(kind, { stamp, slot }, owner) === id ? { stamp, slot } : undefined;
}

/**
 * Returns the time in an ID that `newId` or `derivedIdAt` created. Returns undefined for a string
 * without a time part. For an ID that another function created, the result is meaningless.
 */
export function timeOf(kind: IdKind, id: string): Date | undefined {
  if (!isId(kind, id)) return undefined;
  const at = new Date(numberIn(kind, id));
  return id.startsWith(idPrefix[kind] + timePart(at)) ? at : undefined;
}

/**
 * Returns the first possible ID, in sort order, of a kind at the time `at`. All IDs with earlier
 * times sort before this ID.
 */
export const firstIdAt = (kind: IdKind, at: Date): string =>
  idPrefix[kind] + timePart(at) + alphabet.charAt(0).repeat(randomLength);

/**
 * Returns the latest time, in ISO 8601, that an ID before `id` in the sort order can contain.
 * Returns null if `id` is null or has no time part.
 */
export function latestBefore(kind: IdKind, id: string | null): string | null {
  const at = id === null ? undefined : timeOf(kind, id);
  if (at === undefined) return null;
  return new Date(at.getTime() - (id === firstIdAt(kind, at) ? 1 : 0)).toISOString();
}

const timePart = (at: Date): string => digits(at.getTime());

/**
 * Decodes the number that `digits` encoded in a part of an ID. Does not check the part. If `digits`
 * did not encode it, the result is meaningless.
 */
function numberIn(
  kind: IdKind,
  id: string,
  { from = 0, length = timeLength }: { readonly from?: number; readonly length?: number } = {},
): number {
  const start = idPrefix[kind].length + from;
  let number = 0;
  for (let i = start; i < start + length; i += 1) {
    number = number * 32 + alphabet.indexOf(id.charAt(i));
  }
  return number;
}

/**
 * Encodes a non-negative integer in base 32, as exactly `length` characters that sort by number.
 */
function digits(number: number, length = timeLength): string {
  let text = "";
  let rest = number;
  for (let i = 0; i < length; i += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
