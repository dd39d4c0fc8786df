import { changeItems } from "../../shared/watchlists/change-items.ts";
import { itemChangeBody, parseItemChange } from "../../shared/watchlists/items-request.ts";
import { presentItemChange } from "../../shared/watchlists/present-item.ts";
import { route } from "../http/route.ts";
import { existing } from "./existing.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

const changeRoute = (object: "watchlist_items" | "watchlist_asins") =>
  route<WatchlistDependencies, typeof itemChangeBody>({
    body: itemChangeBody,
    async handle({ body, caller, path, now }, dependencies) {
      const watchlist = await existing(dependencies.watchlists, caller.accountId, path["id"]);
      const change = parseItemChange(watchlist.platform, body);
      const changed = await changeItems({ watchlist, change, now }, dependencies);
      return { status: 200, body: presentItemChange(object, changed) };
    },
  });

/** `POST /v1/watchlists/{id}/items` */
export const changeItemsRoute = changeRoute("watchlist_items");

/** `POST /v1/watchlists/{id}/asins` */
export const changeAsinsRoute = changeRoute("watchlist_asins");
