import type { UndefinedSchema } from "valibot";
import { itemNotFound } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { historySpan } from "../../shared/history/history-span.ts";
import { historyStart } from "../../shared/history/kept-history.ts";
import { itemHistory } from "../../shared/history/item-history.ts";
import { checkObservedField } from "../../shared/history/observed-fields.ts";
import { presentItemHistory } from "../../shared/history/present-history.ts";
import { itemHistoryQuery } from "../../shared/history/queries.ts";
import { parseItemId } from "../../shared/platforms/item-id.ts";
import { findItem } from "../../shared/watchlists/find-item.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

/**
 * `GET /v1/watchlists/{id}/items/{item_id}/history`. Lists the history points of an item in a time
 * span. The history remains after the item is removed from the watchlist.
 */
export const itemHistoryRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof itemHistoryQuery
>({
  query: itemHistoryQuery,
  async handle({ caller, path, query }, { watchlists, pages, history, clock }) {
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const { id: watchlistId, platform } = watchlist;
    const itemId = parseItemId(platform, path["item_id"] ?? "", "item_id");
    const fields = query.fields?.split(",").map((field) => field.trim());
    for (const field of fields ?? []) checkObservedField("fields", field, { platform });
    const span = historySpan(query, { now: clock.now(), defaultDays: limits.historyDays });
    const { order, limit, starting_after: startingAfter } = query;
    const page = await itemHistory(
      {
        watchlistId,
        itemId,
        span,
        keptSince: query.since === undefined ? undefined : historyStart(clock.now()),
        order,
        limit,
        fields,
        startingAfter,
      },
      history,
    );
    if (page.points.length === 0 && (await findItem(watchlistId, itemId, pages)) === undefined) {
      throw itemNotFound(itemId);
    }
    return { status: 200, body: presentItemHistory(page) };
  },
});
