import * as v from "valibot";
import { count, listOf, timestamp } from "../../shared/base/wire-schema.ts";

const fieldValue = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const step = v.pipe(v.string(), v.description("ID of the step that read the item."));

/** A point of an item's history in API responses. */
export const historyPointSchema = v.object({
  id: v.pipe(v.string(), v.description("Run number and step. Unique in the history of the item.")),
  object: v.literal("history_point"),
  at: v.pipe(timestamp, v.description("When the service read the item.")),
  run_number: v.pipe(count, v.description("Number of the run that read the item.")),
  step,
  status: v.pipe(
    v.picklist(["ok", "not_found"]),
    v.description("`not_found`: this read delisted the item."),
  ),
  values: v.pipe(
    v.record(v.string(), fieldValue),
    v.title("Observed values"),
    v.description(
      "The values that this read found to be new or changed, by field. The first point of an item has " +
        "all values that were read; empty for `not_found`.",
    ),
  ),
});

/** Response 200 of `GET /v1/watchlists/{id}/items/{item_id}/history`. */
export const itemHistoryResponse = listOf(historyPointSchema);

/** A change of one field of one item in API responses. */
export const fieldChangeSchema = v.object({
  object: v.literal("field_change"),
  watchlist_id: v.pipe(v.string(), v.description("ID of the watchlist that read the item.")),
  item_id: v.pipe(v.string(), v.description("ID of the item that changed.")),
  field: v.pipe(v.string(), v.description("Name of the field that changed.")),
  before: fieldValue,
  after: fieldValue,
  delta: v.pipe(
    v.nullable(v.number()),
    v.description("`after` minus `before`. Null if one of them is not a number."),
  ),
  delta_percent: v.pipe(
    v.nullable(v.number()),
    v.description("`delta` in percent of `before`. Null if `delta` is null or `before` is 0."),
  ),
  changed_at: timestamp,
  run_number: v.pipe(count, v.description("Number of the run that read the change.")),
  step,
});

/** Response 200 of `GET /v1/watchlists/{id}/changes` and of `GET /v1/changes`. */
export const changesResponse = v.object({
  ...listOf(fieldChangeSchema).entries,
  next_starting_after: v.pipe(
    v.nullable(v.string()),
    v.description(
      "Value of `starting_after` for the next page. Null on the last page. A page sorted by time may " +
        "have fewer entries than `limit` although more follow.",
    ),
  ),
});
