import * as v from "valibot";
import { idParam } from "../base/id-param.ts";
import { isoTimeParam } from "../base/iso-time.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";
import { destinationStatuses } from "./destination.ts";
import { exportStates } from "./export-record.ts";

/** Query of `GET /v1/s3_destination/exports`. */
export const exportsQuery = v.object({
  limit: limitParam(limits.pagination.exports),
  starting_after: idParam("export", {
    message: "'starting_after' must be the ID of an export, which begins with exp_.",
    description: "`next_starting_after` of the previous page.",
  }),
  state: v.optional(
    v.pipe(oneOf("state", exportStates), v.description("Only exports in this state.")),
  ),
  watchlist_id: idParam("watchlist", {
    message: "'watchlist_id' must be the ID of a watchlist, which begins with wl_.",
    description: "Only runs of this watchlist.",
  }),
  since: v.optional(
    v.pipe(isoTimeParam("since"), v.description("Only runs that ended at this time or later.")),
  ),
});

/** The export of a run in API responses. */
export const exportSchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with exp_.")),
  object: v.literal("s3_export"),
  watchlist_id: v.string(),
  run_id: v.string(),
  run_number: v.nullable(count),
  state: v.pipe(
    v.picklist(exportStates),
    v.description(
      "pending: not attempted yet, or to be retried. failed: not retried automatically; a backfill exports the run again.",
    ),
  ),
  objects: v.pipe(count, v.description("Number of event objects written so far.")),
  bytes: v.pipe(count, v.description("Size of these objects as stored.")),
  attempt_count: count,
  last_error: v.nullable(
    v.pipe(v.string(), v.description("A code of the store, or a code of the service.")),
  ),
  next_attempt_at: v.nullable(timestamp),
  manifest_key: v.nullable(
    v.pipe(v.string(), v.description("Key of the manifest. Null until the export is complete.")),
  ),
  created_at: v.pipe(timestamp, v.description("When the run ended.")),
  finished_at: v.nullable(timestamp),
});

/** Response 200 of `GET /v1/s3_destination/exports`, newest export first. */
export const exportsResponse = v.object({
  ...listOf(exportSchema).entries,
  destination_status: v.pipe(
    v.nullable(v.picklist(destinationStatuses)),
    v.description(
      "Status of the S3 destination, as in `GET /v1/s3_destination`. Null if the account has none: " +
        "the list remains after the destination is deleted.",
    ),
  ),
  next_starting_after: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Send as `starting_after` to get the next page. Null if this is the last page. A page can have fewer entries than `limit`, or none.",
      ),
    ),
  ),
});
