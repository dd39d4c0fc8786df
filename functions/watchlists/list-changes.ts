import type { InferOutput, UndefinedSchema } from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { historySpan } from "../../shared/history/history-span.ts";
import { listChanges } from "../../shared/history/list-changes.ts";
import { checkObservedField } from "../../shared/history/observed-fields.ts";
import { presentChanges } from "../../shared/history/present-history.ts";
import { changesDefaultDays, changesQuery } from "../../shared/history/queries.ts";
import type { Platform } from "../../shared/platforms/catalogue.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

type Query = InferOutput<typeof changesQuery>;

/** `GET /v1/watchlists/{id}/changes` */
export const listWatchlistChangesRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof changesQuery
>({
  query: changesQuery,
  async handle({ caller, path, query }, dependencies) {
    const { watchlists } = dependencies;
    const { id, platform } = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    return changesOf({ watchlistIds: [id], platform }, query, dependencies);
  },
});

/** `GET /v1/changes`: the changes of all watchlists of the account. */
export const listAccountChangesRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof changesQuery
>({
  query: changesQuery,
  async handle({ caller, query }, dependencies) {
    const { watchlists } = await dependencies.watchlists.list(
      caller.accountId,
      limits.watchlistsMax,
    );
    const watchlistIds = watchlists.map(({ id }) => id);
    return changesOf({ watchlistIds, platform: undefined }, query, dependencies);
  },
});

async function changesOf(
  wanted: {
    readonly watchlistIds: readonly string[];
    /** The platform of all watchlists; undefined if their platforms may differ. */
    readonly platform: Platform | undefined;
  },
  query: Query,
  { history, clock }: Pick<WatchlistDependencies, "history" | "clock">,
) {
  const { field, op, sort, limit } = query;
  if (field !== undefined) checkObservedField("field", field, wanted.platform);
  const page = await listChanges(
    {
      watchlistIds: wanted.watchlistIds,
      span: historySpan(query, { now: clock.now(), defaultDays: changesDefaultDays }),
      field,
      op,
      minDeltaPercent: query.min_delta_percent,
      sort,
      limit,
      startingAfter: query.starting_after,
    },
    history,
  );
  return { status: 200, body: presentChanges(page) };
}
