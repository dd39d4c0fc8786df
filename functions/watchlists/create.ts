import { object, parse, string } from "valibot";
import { addWorkKeys } from "../../shared/observability/work-log.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { createWatchlist } from "../../shared/watchlists/create-watchlist.ts";
import { parseIdempotencyKey } from "../../shared/watchlists/idempotency.ts";
import { newWatchlist } from "../../shared/watchlists/request.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

const created = object({ id: string() });

/**
 * `POST /v1/watchlists`. Creates a watchlist. The first run is due immediately, unless the
 * watchlist is created paused.
 */
export const createWatchlistRoute = route<WatchlistDependencies, typeof newWatchlist>({
  body: newWatchlist,
  announced: ({ body }) => refuseAnnounced(body),
  async handle({ body: wanted, caller, headers, now, baseUrl }, dependencies) {
    const { accountId } = caller;
    const idempotencyKey = parseIdempotencyKey(headers("idempotency-key"), wanted.idempotencyKey);
    const { body, replayed } = await createWatchlist(
      { accountId, wanted, idempotencyKey, now, baseUrl },
      dependencies,
    );
    addWorkKeys({ watchlist_id: parse(created, JSON.parse(body)).id });
    return { status: 201, body, ...(replayed && { headers: { "Idempotent-Replayed": "true" } }) };
  },
});
