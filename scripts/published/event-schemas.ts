import * as v from "valibot";
import { count } from "../../shared/base/wire-schema.ts";
import { eventTypes } from "../../shared/events/event.ts";
import { runSchema } from "../../shared/runs/run-schema.ts";
import { type JsonObject, jsonSchema } from "../../tools/documents/json-schema.ts";
import { eventSchemas } from "../openapi/event-schema.ts";

const file = {
  key: v.string(),
  bytes: count,
  sha256: v.pipe(v.string(), v.description("In hexadecimal digits.")),
};

/** `_manifest.json` of an export. */
const manifest = v.object({
  run: v.nullable(runSchema),
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
    v.pipe(
      v.object({ ...file, rows: count }),
      v.description("The Parquet file of the run's changes. Null if it has none."),
    ),
  ),
  snapshot: v.nullable(
    v.pipe(
      v.object({ ...file, rows: count }),
      v.description("The Parquet file of all items at the end of the run. Null if it has none."),
    ),
  ),
});

/** The JSON Schemas (draft 2020-12) that the service publishes, by name. */
export const publishedSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries({ ...eventSchemas, manifest }).map(([name, schema]) => [
    name,
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: name,
      ...jsonSchema(schema, { direction: "output", named: {} }),
    },
  ]),
);
