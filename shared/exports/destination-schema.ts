import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { compressions, destinationStatuses, snapshotChoices } from "./destination.ts";
import { count, timestamp } from "../base/wire-schema.ts";

/** Description of the field `compression` in requests and responses. */
export const compressionMeaning =
  "gzip: objects end in .jsonl.gz. none: .jsonl. A change applies to runs that are exported for the " +
  "first time after the change: a run keeps its format, even in a backfill.";

/** Description of the field `rows` in requests and responses. */
export const rowsMeaning =
  "true: the service also writes the changes of each run as one Parquet file below `rows/`, with one row " +
  "for each changed field. A change applies to runs that are exported after it, and to backfills.";

/** Description of the field `snapshot` in requests and responses. */
export const snapshotMeaning =
  "run: the service also writes all items of the watchlist at the end of each run as one Parquet file below " +
  "`snapshots/`. day: only with the first run of each UTC day. none: it writes no such file. A change " +
  "applies to runs that end after it.";

/** The S3 destination in API responses, without the secret access key. */
export const destinationSchema = v.object({
  object: v.literal("s3_destination"),
  enabled: v.boolean(),
  bucket: v.string(),
  region: v.string(),
  endpoint: v.nullable(
    v.pipe(
      v.string(),
      v.description("Address of an S3-compatible store. Null if the bucket is on AWS."),
    ),
  ),
  force_path_style: v.boolean(),
  prefix: v.pipe(v.string(), v.description("Prefix of every object key.")),
  auth: v.picklist(["access_key", "role"]),
  access_key_id: v.nullable(v.string()),
  secret_hint: v.nullable(
    v.pipe(v.string(), v.description("The secret access key's last four characters.")),
  ),
  role_arn: v.nullable(v.string()),
  external_id: v.pipe(
    v.string(),
    v.description(
      "External ID that the trust policy of your role must require. It never changes for an account.",
    ),
  ),
  compression: v.pipe(v.picklist(compressions), v.description(compressionMeaning)),
  rows: v.pipe(v.boolean(), v.description(rowsMeaning)),
  snapshot: v.pipe(v.picklist(snapshotChoices), v.description(snapshotMeaning)),
  status: v.pipe(
    v.picklist(destinationStatuses),
    v.description(
      `failing: at least the last ${limits.failuresUntilFailing} export attempts failed. Exports are still ` +
        "attempted. A successful export, test or checked change sets it to active.",
    ),
  ),
  last_success_at: v.nullable(timestamp),
  last_error: v.nullable(
    v.pipe(
      v.string(),
      v.description("Why the last attempt failed: a code of the store, or a code of the service."),
    ),
  ),
  created_at: timestamp,
  updated_at: timestamp,
});

/** Response 200 of `DELETE /v1/s3_destination`. */
export const deletedDestinationResponse = v.object({
  object: v.literal("s3_destination"),
  deleted: v.literal(true),
});

/** Response 200 of `POST /v1/s3_destination/test`, even if the test failed. */
export const destinationTestResponse = v.object({
  object: v.literal("s3_destination_test"),
  ok: v.boolean(),
  error: v.nullable(
    v.pipe(
      v.string(),
      v.description("A code of the store, or a code of the service; null if `ok` is true."),
    ),
  ),
  param: v.nullable(
    v.pipe(
      v.string(),
      v.description("The field of the destination to change; null if `ok` is true."),
    ),
  ),
  message: v.nullable(
    v.pipe(v.string(), v.description("The step that failed and what to do; null if `ok` is true.")),
  ),
  duration_ms: count,
});
