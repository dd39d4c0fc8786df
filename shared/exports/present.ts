import type { InferOutput } from "valibot";
import {
  type Destination,
  type DestinationStatus,
  externalIdOf,
  isDestinationFailing,
} from "./destination.ts";
import type { destinationSchema } from "./destination-schema.ts";
import { isUntried } from "./export-entries.ts";
import type { ExportRecord } from "./export-record.ts";
import type { exportSchema } from "./export-schema.ts";

/** Converts an S3 destination to its form in API responses, without the secret access key. */
export function presentDestination(
  accountId: string,
  destination: Destination,
): InferOutput<typeof destinationSchema> {
  const { credentials } = destination;
  const key = credentials.auth === "access_key" ? credentials : null;
  return {
    object: "s3_destination",
    enabled: destination.enabled,
    bucket: destination.bucket,
    region: destination.region,
    endpoint: destination.endpoint,
    force_path_style: destination.forcePathStyle,
    prefix: destination.prefix,
    auth: credentials.auth,
    access_key_id: key?.accessKeyId ?? null,
    secret_hint: key?.secretHint ?? null,
    role_arn: credentials.auth === "role" ? credentials.roleArn : null,
    external_id: externalIdOf(accountId),
    compression: destination.compression,
    rows: destination.rows,
    snapshot: destination.snapshot,
    status: statusOf(destination),
    last_success_at: destination.lastSuccessAt,
    last_error: destination.lastError,
    created_at: destination.createdAt,
    updated_at: destination.updatedAt,
  };
}

/** Returns the status of an S3 destination in API responses. */
export function statusOf(destination: Destination): DestinationStatus {
  if (!destination.enabled) return "disabled";
  return isDestinationFailing(destination) ? "failing" : "active";
}

/** Converts an export record to its form in API responses. */
export const presentExport = (record: ExportRecord): InferOutput<typeof exportSchema> => ({
  id: record.id,
  object: "s3_export",
  watchlist_id: record.watchlistId,
  run_id: record.runId,
  run_number: record.runNumber,
  state: record.state,
  objects: record.objects,
  bytes: record.bytes,
  attempt_count: record.attemptCount,
  last_error: record.lastError,
  next_attempt_at: isUntried(record) ? record.createdAt : record.nextAttemptAt,
  manifest_key: record.manifestKey,
  created_at: record.createdAt,
  finished_at: record.finishedAt,
});
