import * as v from "valibot";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";

const timeMessage = "'changed_since' is an ISO 8601 time, such as 2026-01-31T00:00:00Z.";

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
      v.string(timeMessage),
      v.regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, timeMessage),
      v.check((text) => !Number.isNaN(Date.parse(text)), timeMessage),
      v.description("Only items that changed or were delisted at this time or later."),
      v.transform((text) => new Date(text)),
    ),
  ),
});
