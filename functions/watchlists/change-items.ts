import { changeItems } from "../../shared/watchlists/change-items.ts";
import { itemChangeBody, parseItemChange } from "../../shared/watchlists/items-request.ts";
import { presentItemChange } from "../../shared/watchlists/present-item.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

const itemChangeRoute = (object: "watchlist_items" | "watchlist_asins") =>
  route<WatchlistDependencies, typeof itemChangeBody>({
    body: itemChangeBody,
    async handle({ body, caller, path, now }, dependencies) {
      const watchlist = await existingWatchlist(
        dependencies.watchlists,
        caller.accountId,
        path["id"],
      );
      const change = parseItemChange(watchlist.platform, body);
      const changed = await changeItems({ watchlist, change, now }, dependencies);
      return { status: 200, body: presentItemChange(object, changed) };
    },
  });

/** `POST /v1/watchlists/{id}/items`. Removes items from a watchlist, and adds items to it. */
export const changeItemsRoute = itemChangeRoute("watchlist_items");

/** `POST /v1/watchlists/{id}/asins`. The legacy path of `POST /v1/watchlists/{id}/items`. */
export const changeAsinsRoute = itemChangeRoute("watchlist_asins");
