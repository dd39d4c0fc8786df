import * as v from "valibot";
import { count, timestamp } from "../../shared/base/wire-schema.ts";
import { changesSchema, snapshotSchema } from "../../shared/pipelines/pipeline-schema.ts";
import { runSchema } from "../../shared/runs/run-schema.ts";

const itemEntry = {
  id: v.string(),
  asin: v.optional(
    v.pipe(
      v.string(),
      v.description("Alias of id, on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  step: v.string(),
  scraper: v.string(),
};

const itemEventData = {
  watchlist_id: v.string(),
  watchlist_name: v.string(),
  platform: v.string(),
  marketplace: v.string(),
  currency: v.string(),
  run_id: v.string(),
  run_number: count,
  part: v.pipe(count, v.description("Which delivery of the run's deliveries of this type.")),
  parts: count,
};

const envelope = <Type extends string, Data extends v.GenericSchema>(type: Type, data: Data) =>
  v.object({
    id: v.pipe(v.string(), v.description("Begins with evt_; the same at every attempt.")),
    type: v.literal(type),
    created_at: timestamp,
    data,
  });

/** Bodies of the events by type (specification, section "Events"). */
export const eventSchemas = {
  "watchlist.product.changed": envelope(
    "watchlist.product.changed",
    v.object({
      ...itemEventData,
      changes: v.array(
        v.object({
          ...itemEntry,
          changed_at: timestamp,
          tier: v.string(),
          changes: changesSchema,
          snapshot: snapshotSchema,
        }),
      ),
    }),
  ),
  "watchlist.product.matched": envelope(
    "watchlist.product.matched",
    v.object({
      ...itemEventData,
      products: v.array(
        v.object({
          ...itemEntry,
          matched_at: timestamp,
          branch: v.pipe(v.string(), v.description("The `when` of the route that matched.")),
          status: v.string(),
          values: snapshotSchema,
        }),
      ),
    }),
  ),
  "watchlist.product.delisted": envelope(
    "watchlist.product.delisted",
    v.object({
      ...itemEventData,
      products: v.array(
        v.object({
          ...itemEntry,
          delisted_at: timestamp,
          detected_by: v.string(),
          last_snapshot: v.nullable(snapshotSchema),
        }),
      ),
    }),
  ),
  "watchlist.run.completed": envelope(
    "watchlist.run.completed",
    v.object({
      ...runSchema.entries,
      events: v.pipe(
        v.record(v.string(), count),
        v.description("Event type to how many deliveries of it this run makes."),
      ),
      events_digest: v.pipe(
        v.string(),
        v.description("Proves that none of the run's events was missed."),
      ),
    }),
  ),
  "webhook.test": envelope(
    "webhook.test",
    v.object({ endpoint_id: v.string(), message: v.string() }),
  ),
};

/** 200 of `GET /v1/events/{id}`: the body of an event of a run. */
export const runEventSchema = v.variant("type", [
  eventSchemas["watchlist.product.changed"],
  eventSchemas["watchlist.product.matched"],
  eventSchemas["watchlist.product.delisted"],
  eventSchemas["watchlist.run.completed"],
]);

/** 200 of `GET /v1/events`: the bodies of events of runs. */
export const eventsResponse = v.object({
  object: v.literal("list"),
  data: v.pipe(v.array(runEventSchema), v.description("Oldest first, each as a webhook gets it.")),
  has_more: v.pipe(
    v.boolean(),
    v.description("True when there may be events after these; also after a page without any."),
  ),
  next_after: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Send as `after` to get the next page. It is after every event that the page covers, also after " +
          "those that the filters exclude. Null: no event exists yet.",
      ),
    ),
  ),
});
