import * as v from "valibot";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { oneOf } from "../base/valid-values.ts";
import { itemOrders, itemSorts } from "./arrange-items.ts";
import { stocks } from "./stock-items.ts";

/**
 * Upper bound of times in queries. Times that are calculated from them must have a four-digit year.
 */
const timeEnd = Date.parse("9000-01-01T00:00:00Z");
const timeForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Creates the schema of a time in a query: ISO 8601, before the year 9000. A date without a time of
 * day means midnight UTC.
 */
export function timeParam(name: string): v.GenericSchema<string, Date> {
  const message = addRefusedValue(
    `'${name}' must be an ISO 8601 time before the year 9000, such as 2026-01-31T00:00:00Z. ` +
      "Encode a plus sign as %2B.",
  );
  return v.pipe(
    v.string(message),
    v.check(isTime, message),
    v.metadata({ format: "date-time", pattern: "^[0-8]" }),
    v.transform((text) => new Date(text)),
  );
}

const isTime = (text: string): boolean =>
  timeForm.test(text) && isDay(text.slice(0, 10)) && Date.parse(text) < timeEnd;

/**
 * Returns false for a date that does not exist, such as February 30. `Date` would convert it to a
 * day of the next month.
 */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Query of `GET /v1/watchlists`. */
export const watchlistsQuery = v.object({ limit: limitParam(limits.pagination.watchlists) });

/** Minimum number of characters of a search over all watchlists. */
const searchLengthMin = 2;
const searchLengthMax = 100;

const searchText = (lengthMin: number) => {
  const message = addRefusedValue(
    `'search' must have ${lengthMin} to ${searchLengthMax} characters, not counting spaces around it.`,
  );
  return v.pipe(
    v.string(message),
    v.trim(),
    v.minLength(lengthMin, message),
    v.maxLength(searchLengthMax, message),
  );
};

/** Query of `GET /v1/watchlists/items`. */
export const itemSearchQuery = v.object({
  limit: limitParam(limits.pagination.foundItems),
  search: v.optional(
    v.pipe(
      searchText(searchLengthMin),
      v.description(
        "The first characters of an item ID, or words that the ID, the label or the title contain. " +
          "Absent: all items.",
      ),
    ),
  ),
  starting_after: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(
        100,
        addRefusedValue("'starting_after' must be the 'next_starting_after' of the previous page."),
      ),
      v.description(
        "The `next_starting_after` of the previous page. Only with `stock`, or without `search`.",
      ),
    ),
  ),
  stock: v.optional(
    v.pipe(
      oneOf("stock", stocks),
      v.description(
        "`out`: only items that are out of stock by their last known values. Leaves out delisted items, and " +
          "items whose `inStock` is not known.",
      ),
    ),
  ),
  watchlist_id: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(
        64,
        addRefusedValue("'watchlist_id' must be the ID of a watchlist, which begins with wl_."),
      ),
      v.description("Only items of this watchlist. Only with `stock`."),
    ),
  ),
  sort: v.optional(
    v.pipe(
      oneOf("sort", itemSorts),
      v.description(
        "Order of the items, as in `GET /v1/watchlists/{id}/items`. Only with `stock`. Default: `id`.",
      ),
    ),
  ),
  order: v.optional(
    v.pipe(
      oneOf("order", itemOrders),
      v.description("`asc`: ascending. `desc`: descending. Only with `stock`. Default: `asc`."),
    ),
  ),
});

/** Query of `GET /v1/watchlists/{id}/items`. */
export const itemsQuery = v.object({
  limit: limitParam(limits.pagination.items),
  starting_after: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(32, addRefusedValue("'starting_after' must be an item ID.")),
      v.description(
        "The last ID of the previous page. Send the same `search`, `sort` and `order` again.",
      ),
    ),
  ),
  search: v.optional(
    v.pipe(
      searchText(1),
      v.description("Only items whose ID, label or title contain each of these words."),
    ),
  ),
  sort: v.optional(
    v.pipe(
      oneOf("sort", itemSorts),
      v.description(
        "Order of the items. `name`: by label, or else by title. `change`: by the last change in " +
          "percent. Items without the value are last. Default: `id`.",
      ),
    ),
  ),
  order: v.optional(
    v.pipe(
      oneOf("order", itemOrders),
      v.description("`asc`: ascending. `desc`: descending. Default: `asc`."),
    ),
  ),
  state: v.optional(
    v.pipe(
      oneOf("state", ["new", "active", "delisted"]),
      v.description("Only items in this state."),
    ),
  ),
  id_prefix: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z0-9]{1,15}$/,
        addRefusedValue("'id_prefix' must be 1 to 15 letters or digits."),
      ),
      v.toUpperCase(),
      v.description("Only items whose ID begins with this prefix."),
    ),
  ),
  changed_since: v.optional(
    v.pipe(
      timeParam("changed_since"),
      v.description("Only items that changed or were delisted at this time or later."),
    ),
  ),
});
