import type { InferOutput, UndefinedSchema } from "valibot";
import { assert } from "../../shared/base/assert.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { limits } from "../../shared/base/limits.ts";
import { checkKind, delistedField } from "../../shared/history/change-kinds.ts";
import type { FieldChange } from "../../shared/history/field-change.ts";
import { historySpan } from "../../shared/history/history-span.ts";
import { historyStart } from "../../shared/history/kept-history.ts";
import { listChanges } from "../../shared/history/list-changes.ts";
import {
  checkNumbers,
  checkObservedField,
  checkObservedKind,
} from "../../shared/history/observed-fields.ts";
import { type ChangedItem, presentChanges } from "../../shared/history/present-history.ts";
import { changesDefaultDays, changesQuery } from "../../shared/history/queries.ts";
import { currencyOf, type Platform } from "../../shared/platforms/catalog.ts";
import { detailsOfItems } from "../../shared/watchlists/details-of-items.ts";
import { knownDetails } from "../../shared/watchlists/item-details.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

type Query = InferOutput<typeof changesQuery>;

/** `GET /v1/watchlists/{id}/changes`. Lists the changes of one watchlist in a time span. */
export const listWatchlistChangesRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof changesQuery
>({
  query: changesQuery,
  async handle({ caller, path, query }, dependencies) {
    const { watchlists } = dependencies;
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const { platform } = watchlist;
    return changesOf({ watchlists: [watchlist], platform }, query, dependencies);
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
    return changesOf({ watchlists, platform: undefined }, query, dependencies);
  },
});

/**
 * Returns the response with the changes of watchlists in a time span.
 * @throws 400 INVALID_PARAM for a field, kind or filter that does not apply
 */
async function changesOf(
  target: {
    readonly watchlists: readonly Watchlist[];
    /** The platform of all watchlists; undefined if their platforms may differ. */
    readonly platform: Platform | undefined;
  },
  query: Query,
  { history, clock, pages }: Pick<WatchlistDependencies, "clock" | "history" | "pages">,
) {
  const { kind, field, op, sort, compare, limit, min_delta, min_delta_percent } = query;
  const numeric = { op, min_delta, min_delta_percent, sort: sort === "time" ? undefined : sort };
  if (field !== undefined) {
    checkObservedField("field", field, { platform: target.platform, more: [delistedField] });
    checkNumbers(field, numeric);
  }
  if (kind !== undefined) {
    checkKind(kind, field, numeric);
    if (target.platform !== undefined) checkObservedKind(kind, target.platform);
  }
  const page = await listChanges(
    {
      watchlistIds: target.watchlists.map(({ id }) => id),
      newestRuns: new Map(
        target.watchlists.flatMap(({ id, runCount }) =>
          runCount === 0 ? [] : [[id, runCount] as const],
        ),
      ),
      span: historySpan(query, { now: clock.now(), defaultDays: changesDefaultDays }),
      keptSince: historyStart(clock.now()),
      kind,
      field,
      op,
      minDelta: min_delta,
      minDeltaPercent: min_delta_percent,
      sort,
      compare,
      limit,
      startingAfter: query.starting_after,
    },
    history,
  );
  const itemOf = await changedItems(page.changes, target.watchlists, pages);
  return { status: 200, body: presentChanges(page, itemOf) };
}

/** Number of watchlists whose details are read at the same time. */
const listsAtOnce = 8;

/**
 * Reads the details of the items that changed. Returns a function that maps a change to its item.
 */
async function changedItems(
  changes: readonly FieldChange[],
  watchlists: readonly Watchlist[],
  pages: WatchlistDependencies["pages"],
): Promise<(change: FieldChange) => ChangedItem> {
  const idsOf = Map.groupBy(changes, ({ watchlistId }) => watchlistId);
  const changed = watchlists.filter(({ id }) => idsOf.has(id));
  const detailsById = new Map<string, { watchlist: Watchlist; details: Details }>();
  await inParallel(changed, listsAtOnce, async (watchlist) => {
    const ids = idsOf.get(watchlist.id)?.map(({ itemId }) => itemId) ?? [];
    const details = await detailsOfItems(watchlist, ids, pages);
    detailsById.set(watchlist.id, { watchlist, details });
  });
  return ({ watchlistId, itemId }) => {
    const one = detailsById.get(watchlistId);
    assert(one !== undefined, "a change must belong to a watchlist of the query");
    const { name, platform, marketplace } = one.watchlist;
    const known = knownDetails(one.details.get(itemId));
    const { label = null, title = null, url = null, image = null } = known;
    const currency = currencyOf(platform, marketplace);
    return { watchlistName: name, platform, currency, label, title, url, image };
  };
}

type Details = Awaited<ReturnType<typeof detailsOfItems>>;
