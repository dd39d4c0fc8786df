import * as v from "valibot";
import { manifestSchema } from "../../shared/exports/manifest-schema.ts";
import { type JsonObject, jsonSchema } from "../../tools/documents/json-schema.ts";
import { eventSchemas } from "../openapi/event-schema.ts";

/** `_manifest.json` of an export, with the schema of its run. */
export const exportManifest = v.object({
  ...manifestSchema.entries,
  run: v.nullable(eventSchemas["watchlist.run.completed"].entries.data),
});

/** The JSON Schemas (draft 2020-12) that the service publishes, by name. */
export const publishedSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries({ ...eventSchemas, manifest: exportManifest }).map(([name, schema]) => [
    name,
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: name,
      ...jsonSchema(schema, { direction: "output", named: {} }),
    },
  ]),
);
