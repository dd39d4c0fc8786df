import type { KeyOwner, NewKey } from "../../accounts/account-store.ts";
import { type AdmissionTimes, noAdmissions } from "../../accounts/rate-window.ts";
import { areAllScopes, type Scope, scopes as everyScope } from "../../accounts/scopes.ts";
import type { Row } from "../table/dynamo.ts";
import { accountKeys, type RowKey } from "../table/table.ts";

/**
 * Origin of the times in rows of API keys, in milliseconds since 1970. Times that count from 2020
 * are shorter: until 2051, they have at most 12 digits, which DynamoDB stores in 7 bytes. A row
 * therefore stays below 1,024 bytes, so that a write takes one write unit.
 */
const epochMs = Date.UTC(2020, 0, 1);

/** Converts a time in milliseconds since 1970 to its stored form, in milliseconds since 2020. */
export const toStoredMs = (ms: number): number => ms - epochMs;

/** Returns the row of an API key that has made no call, including the row's table key. */
export const newKeyRow = ({
  hash,
  accountId,
  id,
  name,
  prefix,
  demo,
  scopes,
}: NewKey): Row & RowKey => ({
  ...accountKeys.keyHash(hash),
  account_id: accountId,
  key_id: id,
  name,
  prefix,
  demo,
  ...scopesRow(scopes),
  admitted_ms: noAdmissions,
});

/** Returns the account and the API key that a key's row describes. */
export const keyOwnerOf = (row: Row): KeyOwner => ({
  accountId: String(row["account_id"]),
  keyId: String(row["key_id"]),
  keyName: String(row["name"]),
  keyPrefix: String(row["prefix"]),
  demo: row["demo"] === true,
  scopes: scopesOfRow(row),
});

/**
 * Returns the attribute that stores the scopes of a key. Returns an empty object for a key with
 * every scope, because keys that were stored before scopes existed have no such attribute either.
 */
export const scopesRow = (scopes: readonly Scope[]): Row =>
  areAllScopes(scopes) ? {} : { scopes };

/**
 * Returns the scopes of a key, from either of its two rows. A row without the attribute has every
 * scope.
 */
export function scopesOfRow({ scopes }: Row): readonly Scope[] {
  if (scopes === undefined) return everyScope;
  const stored: readonly unknown[] = Array.isArray(scopes) ? scopes : [];
  return everyScope.filter((scope) => stored.includes(scope));
}

/**
 * Returns the admission times of a key in milliseconds since 1970. Returns undefined for a row that
 * the previous release wrote.
 */
export function admissionTimesOf(row: Row): AdmissionTimes | undefined {
  const stored = row["admitted_ms"] as AdmissionTimes | undefined;
  if (stored === undefined) return undefined;
  const [oldest, ...later] = stored;
  return [oldest + epochMs, ...later.map((ms) => ms + epochMs)];
}

/** The attributes that `lastUseOf` reads. */
export const lastUseAttributes = "admitted_ms, last_admitted_ms";

/**
 * Returns the time at which a call of the key was last admitted, ISO 8601; null before its first
 * call.
 */
export function lastUseOf(row: Row): string | null {
  const newest = admissionTimesOf(row)?.at(-1);
  const ms = newest ?? Number(row["last_admitted_ms"] ?? 0);
  return ms <= epochMs ? null : new Date(ms).toISOString();
}

/**
 * Returns the names of the attributes in a key's row that no code uses any more: the call counts of
 * the previous release, and `created_at`. The next write of the row removes these attributes.
 */
export const retiredAttributesOf = (row: Row): string[] => [
  "admitted",
  "last_admitted_ms",
  "created_at",
  ...Object.keys(row).filter((name) => name.startsWith("ring_")),
];
