import * as v from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { listItems } from "../../shared/watchlists/list-items.ts";
import { presentItem } from "../../shared/watchlists/present-item.ts";
import { route } from "../http/route.ts";
import { existing } from "./existing.ts";
import type { WatchlistDependencies } from "./handler.ts";
import { limitParam } from "./query.ts";

const timeMessage = "'changed_since' is an ISO 8601 time, such as 2026-01-31T00:00:00Z.";

const query = v.object({
  limit: limitParam(limits.pagination.items),
  starting_after: v.optional(
    v.pipe(v.string(), v.maxLength(32, "'starting_after' is an item id.")),
  ),
  state: v.optional(
    v.picklist(["new", "active", "delisted"], "'state' is one of new, active, delisted."),
  ),
  changed_since: v.optional(
    v.pipe(
      v.string(timeMessage),
      v.regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, timeMessage),
      v.check((text) => !Number.isNaN(Date.parse(text)), timeMessage),
      v.transform((text) => new Date(text)),
    ),
  ),
});

export const listItemsRoute = route<
  WatchlistDependencies,
  v.UndefinedSchema<undefined>,
  typeof query
>({
  query,
  async handle({ caller, path, query: wanted }, { watchlists }) {
    const watchlist = await existing(watchlists, caller.accountId, path["id"]);
    const page = await listItems(
      watchlist.id,
      {
        limit: wanted.limit,
        startingAfter: wanted.starting_after,
        state: wanted.state,
        changedSince: wanted.changed_since,
      },
      watchlists,
    );
    return {
      status: 200,
      body: { object: "list", data: page.items.map(presentItem), has_more: page.hasMore },
    };
  },
});
