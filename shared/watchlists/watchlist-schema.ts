import * as v from "valibot";
import { blockedByOwnLimit } from "./blocking-limit.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";
import { changesSchema, pipelineSchema, snapshotSchema } from "../pipelines/pipeline-schema.ts";
import { shownSettingFields } from "./settings.ts";

const byStateSchema = v.object({ new: count, active: count, delisted: count });

/** An `every` schedule in API responses. */
export const everyScheduleSchema = v.pipe(
  v.object({ type: v.literal("every"), every: v.string(), every_seconds: count }),
  v.title("Cadence"),
);

/** A cron schedule in API responses. */
export const cronScheduleSchema = v.pipe(
  v.object({ type: v.literal("cron"), cron: v.string(), timezone: v.string() }),
  v.title("Cron"),
);

/** A schedule in API responses. */
export const scheduleSchema = v.pipe(
  v.variant("type", [everyScheduleSchema, cronScheduleSchema]),
  v.description(
    "When the watchlist runs: a cadence between the starts of two runs, or a cron expression.",
  ),
);

/** A watchlist in API responses (specification, section "Watchlist"). */
export const watchlistSchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with wl_.")),
  object: v.literal("watchlist"),
  name: v.string(),
  platform: v.string(),
  marketplace: v.string(),
  currency: v.pipe(v.string(), v.description("Currency of all prices of the watchlist, ISO 4217.")),
  status: v.picklist(["active", "paused"]),
  paused_reason: v.nullable(v.picklist(["user", "insufficient_credits"])),
  schedule: scheduleSchema,
  every: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Time between the starts of two runs, such as 15m. Null if the watchlist has a cron.",
      ),
    ),
  ),
  every_seconds: v.nullable(count),
  ...shownSettingFields,
  webhook_url: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Current URL of the webhook endpoint that receives this watchlist's events; the last URL if the " +
          "endpoint is deleted. Null if every endpoint that is subscribed to the event receives it.",
      ),
    ),
  ),
  webhook_endpoint_id: v.nullable(
    v.pipe(v.string(), v.description("ID of the webhook endpoint; begins with we_.")),
  ),
  webhook_endpoint_status: v.nullable(
    v.pipe(
      v.picklist(["ok", "disabled", "deleted"]),
      v.description(
        "Deliveries to a disabled or deleted endpoint are recorded as failed. If the endpoint is " +
          "deleted and you register one with the same URL, the watchlist uses the new endpoint.",
      ),
    ),
  ),
  item_count: v.pipe(count, v.description("Number of items in all states.")),
  items_by_state: byStateSchema,
  asin_count: v.pipe(
    count,
    v.description("Alias of item_count."),
    v.metadata({ deprecated: true }),
  ),
  asins_by_state: v.pipe(
    byStateSchema,
    v.description("Alias of items_by_state."),
    v.metadata({ deprecated: true }),
  ),
  pipeline: pipelineSchema,
  default_pipeline: v.boolean(),
  estimated_credits: v.pipe(
    v.object({ pulseRun: count, refreshRun: count, newAsins: count }),
    v.description(
      "Credits of an ordinary run, of a refresh run, and of the first reads of new items.",
    ),
  ),
  blocked_by_limit: blockedByOwnLimit,
  daily_credits_used: v.pipe(
    v.nullable(count),
    v.description(
      "Credits of `daily_credit_budget` that runs have charged or reserved on this UTC day. Null " +
        "without a budget.",
    ),
  ),
  run_count: count,
  consecutive_skips: v.pipe(
    count,
    v.description(
      "Number of runs in a row that were skipped for lack of credits. The third pauses the watchlist.",
    ),
  ),
  last_run_at: v.nullable(timestamp),
  last_run_status: v.nullable(
    v.picklist(["running", "held", "completed", "insufficient_credits", "failed"]),
  ),
  next_run_at: v.nullable(v.pipe(timestamp, v.description("Null while paused."))),
  next_run_times: v.pipe(
    v.array(timestamp),
    v.description("The next five due times. Empty while paused."),
  ),
  created_at: timestamp,
  updated_at: timestamp,
  url: v.pipe(v.string(), v.url(), v.description("URL of this watchlist.")),
});

/** Response 200 of `DELETE /v1/watchlists/{id}`. */
export const deletedWatchlistResponse = v.object({
  id: v.string(),
  object: v.literal("watchlist"),
  deleted: v.literal(true),
});

/** Response 200 of `GET /v1/watchlists`. */
export const watchlistsResponse = listOf(watchlistSchema);

const metadataSchema = v.pipe(
  v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
  v.title("Metadata"),
  v.description("Metadata that you set, by key."),
);
const sellerNamesSchema = v.pipe(
  v.record(v.string(), v.string()),
  v.description(
    "Names of the sellers in `merchant` and `buyboxSeller`, by seller ID. A seller that the source does not name is absent.",
  ),
);
const describedString = (description: string) => v.pipe(v.string(), v.description(description));

/** Details in entries of events. An unknown detail is absent. */
export const knownDetailsFields = {
  label: v.optional(describedString("Label that you set.")),
  metadata: v.optional(metadataSchema),
  title: v.optional(describedString("Newest known title.")),
  url: v.optional(describedString("Newest known address of the product page.")),
  image: v.optional(describedString("Newest known address of the first image.")),
  seller_names: v.optional(sellerNamesSchema),
};

const itemDetailsFields = {
  label: v.nullable(describedString("Label that you set.")),
  metadata: metadataSchema,
  title: v.nullable(describedString("Newest known title.")),
  url: v.nullable(describedString("Newest known address of the product page.")),
  image: v.nullable(describedString("Newest known address of the first image.")),
  seller_names: sellerNamesSchema,
};

/** An item of a watchlist in API responses. */
export const watchlistItemSchema = v.object({
  id: v.string(),
  object: v.literal("watchlist_item"),
  asin: v.optional(
    v.pipe(
      v.string(),
      v.description("Alias of id, on retailer_a."),
      v.metadata({ deprecated: true }),
    ),
  ),
  ...itemDetailsFields,
  state: v.picklist(["new", "active", "delisted"]),
  added_at: timestamp,
  first_read_at: v.nullable(timestamp),
  last_read_at: v.nullable(timestamp),
  last_read_status: v.nullable(v.picklist(["ok", "partial", "not_found", "unavailable"])),
  consecutive_failures: count,
  snapshot: v.nullable(snapshotSchema),
  snapshot_at: v.nullable(timestamp),
  last_change: v.nullable(
    v.pipe(
      v.object({
        changed_at: timestamp,
        run_id: v.string(),
        run_number: count,
        step: v.pipe(
          v.string(),
          v.description("ID of the step that read the last of the changes."),
        ),
        scraper: v.string(),
        tier: v.string(),
        changes: v.pipe(
          changesSchema,
          v.description(
            "The changes of all steps of the run: each field from the first step's `before` to the " +
              "last step's `after`, which are equal for a field that changed back.",
          ),
        ),
      }),
      v.description("The changes of the last run that changed the item, reported or not."),
    ),
  ),
  delisted_at: v.nullable(timestamp),
  route_states: v.pipe(
    v.array(
      v.object({
        step: v.pipe(v.string(), v.description("ID of the route's step.")),
        route: v.pipe(count, v.description("Position of the route in the step, from 0.")),
        reads_met: v.pipe(
          count,
          v.description("Number of reads in a row that met the condition, for `confirm`."),
        ),
        reported: v.pipe(
          v.boolean(),
          v.description("For `once`: the condition was reported and has been true since."),
        ),
        cooldown_until: v.nullable(timestamp),
      }),
    ),
    v.description(
      "Why notifying routes do not report the item now, although their condition may be met: they " +
        "wait for more reads (`confirm`), have reported (`once`), or wait for the end of a " +
        "`cooldown`. Routes that hold nothing back are absent.",
    ),
  ),
});

/** Response 200 of `GET /v1/watchlists/{id}/items`. */
export const watchlistItemsResponse = listOf(watchlistItemSchema);

/** An item that `GET /v1/watchlists/items` lists. */
export const foundItemSchema = v.object({
  id: v.string(),
  object: v.literal("found_item"),
  watchlist_id: v.string(),
  watchlist_name: v.string(),
  platform: v.string(),
  label: v.nullable(describedString("Label that you set.")),
  title: v.nullable(describedString("Newest known title.")),
  stock: v.optional(
    v.pipe(
      v.object({
        price: v.pipe(v.nullable(v.number()), v.description("Price. Null if none is known.")),
        currency: describedString("Currency of the price."),
        url: v.nullable(describedString("Newest known address of the product page.")),
        values_since: v.pipe(
          v.nullable(timestamp),
          v.description("Since when the item has had its last known values."),
        ),
        stock_since: v.pipe(
          v.nullable(timestamp),
          v.description(
            "When the stock changed, if no other value changed later. Otherwise null: the history of " +
              "the item may have the time.",
          ),
        ),
      }),
      v.description(
        "The last known price, and since when the item has its values. Only with `stock` in the request.",
      ),
    ),
  ),
});

/** Response 200 of `GET /v1/watchlists/items`. */
export const foundItemsResponse = v.object({
  ...listOf(foundItemSchema).entries,
  next_starting_after: v.nullable(
    v.pipe(
      v.string(),
      v.description("Cursor of the next page; null on the last page, and for a search."),
    ),
  ),
});

/**
 * Response 200 of `POST /v1/watchlists/{id}/items` and of its legacy path, which uses another
 * `object`.
 */
export const itemChangeResponse = v.pipe(
  v.object({
    object: v.picklist(["watchlist_items", "watchlist_asins"]),
    watchlist_id: v.string(),
    added: v.pipe(count, v.description("Number of items that were not on the watchlist.")),
    reactivated: v.pipe(count, v.description("Number of delisted items that are `new` again.")),
    updated: v.pipe(
      count,
      v.description("Number of items on the watchlist whose label or metadata changed."),
    ),
    unchanged: v.pipe(
      count,
      v.description("Number of items to add that were on the watchlist and did not change."),
    ),
    removed: count,
    missing: v.pipe(
      count,
      v.description("Number of IDs to remove that were not on the watchlist."),
    ),
    item_count: v.pipe(count, v.description("Number of items in all states after the change.")),
    items_by_state: byStateSchema,
    asin_count: v.pipe(
      count,
      v.description("Alias of item_count."),
      v.metadata({ deprecated: true }),
    ),
    asins_by_state: v.pipe(
      byStateSchema,
      v.description("Alias of items_by_state."),
      v.metadata({ deprecated: true }),
    ),
  }),
  v.title("WatchlistItemChange"),
);
