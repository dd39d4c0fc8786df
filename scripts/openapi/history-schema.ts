import * as v from "valibot";
import { changeKinds } from "../../shared/history/change-kinds.ts";
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
export const itemHistoryResponse = v.object({
  ...listOf(historyPointSchema).entries,
  values_at_since: v.pipe(
    v.nullable(v.record(v.string(), fieldValue)),
    v.description(
      "The last known values at `since`, by field, with which a chart can begin. A field whose value was " +
        "not known is absent. All values are null if the item was delisted. The object is null if the " +
        "request has no `since`.",
    ),
  ),
});

/** A change of one field of one item in API responses. */
export const fieldChangeSchema = v.object({
  object: v.literal("field_change"),
  watchlist_id: v.pipe(v.string(), v.description("ID of the watchlist that read the item.")),
  watchlist_name: v.pipe(v.string(), v.description("Name of the watchlist.")),
  platform: v.pipe(v.string(), v.description("Platform of the item.")),
  currency: v.pipe(v.string(), v.description("Currency of the item's prices.")),
  item_id: v.pipe(v.string(), v.description("ID of the item that changed.")),
  label: v.pipe(v.nullable(v.string()), v.description("Label that you set.")),
  title: v.pipe(v.nullable(v.string()), v.description("Newest known title.")),
  url: v.pipe(v.nullable(v.string()), v.description("Newest known address of the product page.")),
  image: v.pipe(v.nullable(v.string()), v.description("Newest known address of the first image.")),
  kind: v.pipe(
    v.picklist(changeKinds),
    v.description(
      "What the change means. `price_drop` and `price_rise`: a price at which the item can be bought is " +
        "lower or higher than its last known amount. `back_in_stock` and `sold_out`: `inStock` became true " +
        "or false. `delisted`: the read did not find the item. `new_seller`: another seller. `other`: any " +
        "other change.",
    ),
  ),
  field: v.pipe(
    v.string(),
    v.description(
      "Name of the field that changed. `delisted`, with `before` false and `after` true, if the read " +
        "delisted the item.",
    ),
  ),
  before: fieldValue,
  after: fieldValue,
  last_known: v.pipe(
    fieldValue,
    v.description(
      "The last value before the change that is not null: `before` or, if `before` is null, an earlier " +
        "value. Null if the field has had no value since the item was added.",
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
