import { itemNotFound } from "../../shared/base/errors.ts";
import { parseItemId } from "../../shared/platforms/item-id.ts";
import { completeReads, lastReadAt } from "../../shared/runs/last-read.ts";
import { findItem } from "../../shared/watchlists/find-item.ts";
import { presentItem } from "../../shared/watchlists/present-item.ts";
import { pipelineOf } from "../../shared/watchlists/watchlist.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/{id}/items/{item_id}`. Returns one item of a watchlist. */
export const getItemRoute = route<WatchlistDependencies>({
  async handle({ caller, path }, { watchlists, pages, runs }) {
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const { id, platform } = watchlist;
    const itemId = parseItemId(platform, path["item_id"] ?? "", "item_id");
    const item = await findItem(id, itemId, pages);
    if (item === undefined) throw itemNotFound(itemId);
    const [details, reads] = await Promise.all([
      pages.details(id, { from: itemId, to: itemId }),
      completeReads(id, runs),
    ]);
    const context = {
      details: details.get(itemId),
      lastReadAt: lastReadAt(item, reads),
      pipeline: pipelineOf(watchlist),
    };
    return { status: 200, body: presentItem(item, platform, context) };
  },
});
