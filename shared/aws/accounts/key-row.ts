import type { KeyOwner, NewKey } from "../../accounts/account-store.ts";
import { type AdmissionTimes, noAdmissions } from "../../accounts/rate-window.ts";
import type { Row } from "../table/dynamo.ts";
import { accountKeys, type RowKey } from "../table/table.ts";

/**
 * The lookup and rate row of an API key. It must stay below 1,024 bytes, so that a write of it takes one
 * write unit; the name alone may take 400. To save space, admission times count from 2020: they have at
 * most 12 digits until 2051, which DynamoDB stores in 7 bytes.
 */
const epochMs = Date.UTC(2020, 0, 1);

/** A time in milliseconds since 1970, as the row stores it. */
export const storedMs = (ms: number): number => ms - epochMs;

/** The row of a key that has made no call. */
export const newKeyRow = ({ hash, accountId, id, name, prefix, demo }: NewKey): Row & RowKey => ({
  ...accountKeys.keyHash(hash),
  account_id: accountId,
  key_id: id,
  name,
  prefix,
  demo,
  admitted_ms: noAdmissions,
});

/** The account and the key of a row. */
export const keyOwnerOf = (row: Row): KeyOwner => ({
  accountId: String(row["account_id"]),
  keyId: String(row["key_id"]),
  keyName: String(row["name"]),
  keyPrefix: String(row["prefix"]),
  demo: row["demo"] === true,
});

/** The admission times of a key in milliseconds since 1970; undefined for a row of the previous release. */
export function admissionTimesOf(row: Row): AdmissionTimes | undefined {
  const stored = row["admitted_ms"] as AdmissionTimes | undefined;
  if (stored === undefined) return undefined;
  const [oldest, ...later] = stored;
  return [oldest + epochMs, ...later.map((ms) => ms + epochMs)];
}

/** Attributes that `lastUseOf` needs. */
export const lastUseAttributes = "admitted_ms, last_admitted_ms";

/** When the key was last admitted; null before its first call. */
export function lastUseOf(row: Row): string | null {
  const newest = admissionTimesOf(row)?.at(-1);
  const ms = newest ?? Number(row["last_admitted_ms"] ?? 0);
  return ms <= epochMs ? null : new Date(ms).toISOString();
}

/** Attributes of the previous release to remove: the counts of calls, and `created_at`, which no code reads. */
export const retiredAttributesOf = (row: Row): string[] => [
  "admitted",
  "last_admitted_ms",
  "created_at",
  ...Object.keys(row).filter((name) => name.startsWith("ring_")),
];
