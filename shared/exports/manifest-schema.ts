import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import { eventTypes } from "../events/event.ts";

const file = {
  key: v.string(),
  bytes: count,
  sha256: v.pipe(v.string(), v.description("SHA-256 of the stored bytes, in hexadecimal.")),
};

const tableFile = v.object({ ...file, rows: count });

/** A Parquet file in the customer's bucket, as the manifest lists it. */
export type WrittenFile = v.InferOutput<typeof tableFile>;

/** `_manifest.json` of an export. */
export const manifestSchema = v.object({
  /** The run object of the `watchlist.run.completed` event; null if the run has no such event. */
  run: v.unknown(),
  objects: v.pipe(
    v.array(
      v.object({ ...file, event_id: v.string(), type: v.picklist(eventTypes), items: count }),
    ),
    v.description("The objects of the run, in the order of the events."),
  ),
  totals: v.object({ objects: count, items: count, bytes: count }),
  digest: v.pipe(
    v.string(),
    v.description("SHA-256 of the IDs of the run's events in order, as in `events_digest`."),
  ),
  rows: v.nullable(
    v.pipe(tableFile, v.description("The Parquet file of the run's changes. Null if it has none.")),
  ),
  snapshot: v.nullable(
    v.pipe(
      tableFile,
      v.description("The Parquet file of all items at the end of the run. Null if it has none."),
    ),
  ),
});
