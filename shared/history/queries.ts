import * as v from "valibot";
import { isoTimeParam } from "../base/iso-time.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { oneOf } from "../base/valid-values.ts";
import { changeKinds } from "./change-kinds.ts";
import { changeSorts, comparisons } from "./changes-query.ts";
import { changeOps } from "./run-changes.ts";

const until = v.optional(
  v.pipe(
    isoTimeParam("until"),
    v.description("Only reads at this time or before. Absent: the current time."),
  ),
);

/** Schema of the query of `GET /v1/watchlists/{id}/items/{item_id}/history`. */
export const itemHistoryQuery = v.object({
  fields: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(
        1_000,
        ({ input }) =>
          `'fields' must have at most 1000 characters (got ${input.length}). Send fewer fields.`,
      ),
      v.description(
        "Names of fields, separated by commas. Shows only these fields. Leaves out points that have none " +
          "of them, except points with the `status` `not_found`. Absent: all fields.",
      ),
    ),
  ),
  since: v.optional(
    v.pipe(
      isoTimeParam("since"),
      v.description(
        `Only reads at this time or later. At most ${limits.historyDays} days ago. Absent: the whole ` +
          "history.",
      ),
    ),
  ),
  until,
  order: v.optional(
    v.pipe(oneOf("order", ["newest_first", "oldest_first"]), v.description("Order of the points.")),
    "newest_first",
  ),
  limit: limitParam(limits.pagination.itemHistory),
  starting_after: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(
        100,
        addRefusedValue("'starting_after' must be the ID of a history point, such as '12.check'."),
      ),
      v.description("The `id` of the last point of the previous page."),
    ),
  ),
});

/** Days that a list of changes covers if the request has no `since`. */
export const changesDefaultDays = 1;

const sizeMax = 1_000_000;

/** Creates the schema of the minimum size of a change in a query. The parsed value is a number. */
const minSize = (name: string, description: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => /^\d{1,7}(?:\.\d{1,6})?$/.test(text) && Number(text) <= sizeMax,
        addRefusedValue(`'${name}' must be a number from 0 to ${sizeMax}.`),
      ),
      v.transform(Number),
      v.number(),
      v.minValue(0),
      v.maxValue(sizeMax),
      v.description(description),
    ),
  );

/** Schema of the query of `GET /v1/watchlists/{id}/changes` and of `GET /v1/changes`. */
export const changesQuery = v.object({
  since: v.optional(
    v.pipe(
      isoTimeParam("since"),
      v.description(
        `Only reads at this time or later. At most ${limits.historyDays} days ago. Absent: one day ` +
          "before `until`.",
      ),
    ),
  ),
  until,
  field: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(
        64,
        ({ input }) =>
          `'field' must have at most 64 characters (got ${input.length}). Send the name of a field, such as price.`,
      ),
      v.description("Only changes of this field, such as `price`, or `delisted`."),
    ),
  ),
  kind: v.optional(v.pipe(oneOf("kind", changeKinds), v.description("Only changes of this kind."))),
  op: v.optional(
    v.pipe(
      oneOf("op", changeOps),
      v.description("Only numbers that increased, or only numbers that decreased."),
    ),
  ),
  min_delta: minSize(
    "min_delta",
    "Only numbers that changed by at least this amount from the last known value, up or down.",
  ),
  min_delta_percent: minSize(
    "min_delta_percent",
    "Only numbers that changed by at least this percentage of the last known value, up or down.",
  ),
  sort: v.optional(
    v.pipe(
      oneOf("sort", changeSorts),
      v.description(
        "`time`: latest run first. `size`: largest change in percent first. `amount`: largest `delta` " +
          "first, whatever the field and the currency. `size` and `amount` show only changes between numbers.",
      ),
    ),
    "time",
  ),
  compare: v.optional(
    v.pipe(
      oneOf("compare", comparisons),
      v.description(
        "`reads`: lists each change, compared with the read before. `period`: lists one entry for each " +
          "item and field, from the value before `since` to the value at `until`. A number that is " +
          "equal at both times has no entry. For a field that is not a number, the entry is the last change. " +
          "`kind`, `op`, `min_delta` and `min_delta_percent` then apply to the whole period.",
      ),
    ),
    "reads",
  ),
  limit: limitParam(limits.pagination.changes),
  starting_after: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(
        200,
        addRefusedValue("'starting_after' must be the 'next_starting_after' of the previous page."),
      ),
      v.description("The `next_starting_after` of the previous page."),
    ),
  ),
});
