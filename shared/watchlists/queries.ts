import * as v from "valibot";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";

/** A query parameter that is a time: ISO 8601, a date alone is its first instant in UTC. */
export function timeParam(name: string): v.GenericSchema<string, Date> {
  const message = `'${name}' is an ISO 8601 time, such as 2026-01-31T00:00:00Z.`;
  return v.pipe(
    v.string(message),
    v.regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, message),
    v.check((text) => !Number.isNaN(Date.parse(text)), message),
    v.transform((text) => new Date(text)),
  );
}

/** Query of `GET /v1/watchlists`. */
export const watchlistsQuery = v.object({ limit: limitParam(limits.pagination.watchlists) });

/** Query of `GET /v1/watchlists/{id}/items`. */
export const itemsQuery = v.object({
  limit: limitParam(limits.pagination.items),
  starting_after: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(32, "'starting_after' is an item id."),
      v.description("The last id of the page before."),
    ),
  ),
  state: v.optional(
    v.pipe(
      v.picklist(["new", "active", "delisted"], "'state' is one of new, active, delisted."),
      v.description("Only items in this state."),
    ),
  ),
  changed_since: v.optional(
    v.pipe(
      timeParam("changed_since"),
      v.description("Only items that changed or were delisted at this time or later."),
    ),
  ),
});
