import * as v from "valibot";
import { count, timestamp } from "../../shared/base/wire-schema.ts";
import { changesSchema, snapshotSchema } from "../../shared/pipelines/pipeline-schema.ts";
import { runSchema } from "../../shared/runs/run-schema.ts";
import { knownDetailsFields } from "../../shared/watchlists/watchlist-schema.ts";

const itemEntry = {
  id: v.string(),
  asin: v.optional(
    v.pipe(
      v.string(),
      v.description("Alias of id, on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  ...knownDetailsFields,
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
  part: v.pipe(
    count,
    v.description(
      "The number of this event among the run's events of this type, from 1 to `parts`.",
    ),
  ),
  parts: count,
};

const envelope = <Type extends string, Data extends v.GenericSchema>(type: Type, data: Data) =>
  v.object({
    id: v.pipe(v.string(), v.description("Begins with evt_. The same in every attempt.")),
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
        v.description("The number of events of this run, by event type."),
      ),
      events_digest: v.pipe(
        v.string(),
        v.description(
          "SHA-256 of the IDs of the run's events in order. Use it to check that you have received all of them.",
        ),
      ),
    }),
  ),
  "webhook.test": envelope(
    "webhook.test",
    v.object({ endpoint_id: v.string(), message: v.string() }),
  ),
};

/** Schema of a run event, the 200 response of `GET /v1/events/{id}`. */
export const runEventSchema = v.variant("type", [
  eventSchemas["watchlist.product.changed"],
  eventSchemas["watchlist.product.matched"],
  eventSchemas["watchlist.product.delisted"],
  eventSchemas["watchlist.run.completed"],
]);

/** Schema of a page of events of runs: 200 of `GET /v1/events`. */
export const eventsResponse = v.object({
  object: v.literal("list"),
  data: v.pipe(
    v.array(runEventSchema),
    v.description("Events, oldest first, in the form in which webhooks receive them."),
  ),
  has_more: v.pipe(
    v.boolean(),
    v.description("True if there may be more events, even if this page is empty."),
  ),
  next_after: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "The value of `after` for the next page. It follows all events that this page covers, including " +
          "those that the filters exclude. Null if there is no event yet.",
      ),
    ),
  ),
});
