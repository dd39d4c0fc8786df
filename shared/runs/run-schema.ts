import * as v from "valibot";
import { changeKinds } from "../history/change-kinds.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";
import { fieldValue } from "../pipelines/pipeline-schema.ts";
import { knownDetailsFields } from "../watchlists/watchlist-schema.ts";

const stepStatsSchema = v.object({
  scraper: v.string(),
  requested: count,
  ok: count,
  partial: count,
  not_found: count,
  unavailable: count,
  credits: count,
  skipped: count,
});

const brakeSchema = v.pipe(
  v.object({
    status: v.picklist(["held", "released", "discarded"]),
    cause: v.pipe(
      v.picklist(["changed_items", "source_shape"]),
      v.description(
        "Why the run was held: too many items changed (`changed_items`), or the answers of the source " +
          "had another shape than before (`source_shape`). More causes may be added.",
      ),
    ),
    changed_items: v.pipe(count, v.description("Items that changed or were delisted.")),
    read_items: v.pipe(
      count,
      v.description(
        "Items that the run read completely, without those that it read for the first time.",
      ),
    ),
    max_changed_percent: v.nullable(v.number()),
    min_items: v.nullable(count),
    notified: v.pipe(
      count,
      v.description(
        "Number of items in the changed events of the run. A release sends these events, and a discard " +
          "drops them.",
      ),
    ),
    matched: v.pipe(
      count,
      v.description(
        "Number of entries in the matched events of the run. A release sends these events, and a discard " +
          "drops them.",
      ),
    ),
    expires_at: v.nullable(
      v.pipe(timestamp, v.description("When the service discards the run. Null after a decision.")),
    ),
    decided_at: v.nullable(timestamp),
    reason: v.nullable(v.pipe(v.string(), v.description("Why the run was discarded."))),
  }),
  v.description("Only in a run that its brake held: the counts, the limits, and the decision."),
);

const shapeSchema = v.pipe(
  v.object({
    price_factor: v.pipe(
      v.nullable(v.number()),
      v.description("The factor by which the prices of many items changed together."),
      v.examples([100]),
    ),
    price_items: v.pipe(
      v.nullable(count),
      v.description("Number of items whose prices changed by this factor."),
    ),
    lost_fields: v.pipe(
      v.array(v.string()),
      v.description("Fields that nearly all items had before, and that few have now."),
    ),
    incomplete_items: v.pipe(
      v.nullable(count),
      v.description(
        "Number of items that became `partial`, if these are nearly all items. They have no events.",
      ),
    ),
  }),
  v.title("SourceShape"),
  v.description(
    "Only in a run whose answers had another shape than the answers of earlier runs. The source " +
      "probably changed.",
  ),
);

/**
 * The run object of responses and of the `watchlist.run.completed` event (specification, section
 * "Events").
 */
export const runSchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with wlrun_.")),
  object: v.literal("watchlist_run"),
  watchlist_id: v.string(),
  run_number: count,
  trigger: v.pipe(v.string(), v.description("What started the run: initial, schedule or manual.")),
  kind: v.pipe(v.string(), v.description("Kind of the run: baseline, refresh or sweep.")),
  status: v.picklist(["running", "held", "completed", "insufficient_credits", "failed"]),
  credits: v.pipe(count, v.description("Credits charged.")),
  stats: v.object({
    tracked: count,
    entry: v.pipe(v.string(), v.description("ID of the step that the run started with.")),
    new_items: count,
    steps: v.pipe(
      v.record(v.string(), stepStatsSchema),
      v.description("By step ID: what the step read and what it cost."),
    ),
    matched: count,
    deferred: v.pipe(count, v.description("Items deferred to the next run for lack of credits.")),
    changed: v.pipe(count, v.description("Items with a new change, whether reported or not.")),
    notified: v.optional(
      v.pipe(
        count,
        v.description(
          "Items in the run's `watchlist.product.changed` events; 0 while they are held and after a " +
            "discard. Absent in runs that ended before the service counted these items.",
        ),
      ),
    ),
    delisted: count,
    retry_next_run: v.pipe(
      count,
      v.description("Items without an answer. The next run reads them again."),
    ),
  }),
  error: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Why the run failed, or which steps were deferred: the credits that each step needed, and the " +
          "balance at that moment, or the credits that a limit left. Null when every step was read.",
      ),
      v.examples([
        "Step 'lite' needed 4 credits for 4 items, but the balance was 2 credits. The items of " +
          "these steps are deferred to the next run.",
      ]),
    ),
  ),
  brake: v.optional(brakeSchema),
  source_shape: v.optional(shapeSchema),
  started_at: timestamp,
  finished_at: v.nullable(timestamp),
  watchlist: v.nullable(
    v.pipe(
      v.object({
        id: v.string(),
        name: v.string(),
        platform: v.string(),
        marketplace: v.string(),
        status: v.picklist(["active", "paused"]),
        paused_reason: v.nullable(v.picklist(["user", "insufficient_credits"])),
        next_run_at: v.nullable(timestamp),
      }),
      v.description("The watchlist when the run ended; null if the watchlist was deleted before."),
    ),
  ),
});

const heldFieldSchema = v.object({
  kind: v.pipe(v.picklist(changeKinds), v.description("Kind of the change of this field.")),
  before: fieldValue,
  after: fieldValue,
  last_known: v.pipe(
    fieldValue,
    v.description(
      "`before`, or the last known number if `before` is null and `after` is a number. Null if there is none.",
    ),
  ),
  delta: v.pipe(
    v.nullable(v.number()),
    v.description("`after` minus `last_known`. Null if one of them is not a number."),
  ),
  delta_percent: v.pipe(
    v.nullable(v.number()),
    v.description(
      "`delta` in percent of `last_known`. Null if `delta` is null or `last_known` is 0.",
    ),
  ),
});

const heldChangeSchema = v.object({
  item_id: v.pipe(v.string(), v.description("ID of the item on the platform.")),
  ...knownDetailsFields,
  changed_at: timestamp,
  step: v.pipe(v.string(), v.description("ID of the step that read the item.")),
  is_delisted: v.pipe(v.boolean(), v.description("True if this read delisted the item.")),
  changes: v.pipe(
    v.record(v.string(), heldFieldSchema),
    v.title("Held changes"),
    v.description("Changed fields by name, each compared with its last known value."),
  ),
});

/** Response 200 of `GET /v1/watchlists/{id}/runs/{run_number}`. */
export const runDetailSchema = v.object({
  ...runSchema.entries,
  held_changes: v.pipe(
    v.nullable(v.array(heldChangeSchema)),
    v.description(
      "The first `limit` changes and delistings that the brake counted. Null unless the run is held.",
    ),
  ),
});

/** Response 200 of `GET /v1/watchlists/{id}/runs`. */
export const runsResponse = listOf(runSchema);
