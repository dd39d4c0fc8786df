import * as v from "valibot";

const fieldValue = v.union([v.string(), v.number(), v.boolean(), v.null()]);

/** Tracked fields as last read, in answers and events. */
export const snapshotSchema = v.pipe(
  v.record(v.string(), fieldValue),
  v.title("Snapshot"),
  v.description("Tracked field to value; a field that was never shown is absent."),
);

/** What moved between two reads, in answers and events. */
export const changesSchema = v.pipe(
  v.record(v.string(), v.object({ before: fieldValue, after: fieldValue })),
  v.title("Changes"),
  v.description("Field to what it was and what it is; only fields that moved."),
);

const routeSchema = v.object({
  when: v.pipe(
    v.string(),
    v.description("new, changed, unchanged, ok, failed, not_found or always."),
  ),
  field: v.optional(v.string()),
  op: v.optional(v.string()),
  value: v.optional(v.union([v.string(), v.number(), v.boolean()])),
  run: v.optional(
    v.pipe(v.string(), v.description("Id of the step that matching items take next.")),
  ),
  notify: v.optional(v.boolean()),
});

/** A pipeline as answers show it (specification, section "Pipeline"). */
export const pipelineSchema = v.pipe(
  v.object({
    entry: v.pipe(v.string(), v.description("Id of the step that every run starts with.")),
    baseline: v.nullable(
      v.pipe(v.string(), v.description("Id of the step where items start that were never read.")),
    ),
    refresh: v.nullable(
      v.object({ every_runs: v.pipe(v.number(), v.integer()), entry: v.string() }),
    ),
    steps: v.array(
      v.object({
        id: v.string(),
        scraper: v.pipe(v.string(), v.description("Scraper id, such as retailer_d.standard.")),
        condition: v.optional(v.string()),
        routes: v.array(routeSchema),
      }),
    ),
  }),
  v.title("Pipeline"),
);
