import { notFound, unavailable } from "../base/errors.ts";
import { hint, type Warn } from "../base/hint.ts";
import type { EndpointStore } from "../webhooks/endpoint-store.ts";
import { changedWatchlist, isRescheduled } from "./change-watchlist.ts";
import type { DueSender } from "./create-watchlist.ts";
import { namedEndpoint } from "./named-endpoint.ts";
import { listSchedule, type Schedules } from "./schedules.ts";
import type { WatchlistPatch } from "./update-request.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

export interface UpdateRequest {
  /** The list as it was found. */
  readonly watchlist: Watchlist;
  readonly patch: WatchlistPatch;
  readonly now: Date;
}

export interface UpdateDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: EndpointStore;
  readonly schedules: Schedules;
  readonly queue: DueSender;
  readonly warn: Warn;
}

/** Changes by others that a call meets in a row before it gives up. */
const triesMax = 5;

/**
 * Changes settings of a list; a run in progress goes on as it began. The schedule is put before the
 * row that wants it and removed after the row that does not, so that no active list lacks one.
 * @throws 400 for what does not go with the list, 404 when it is deleted meanwhile, 503 when others
 * keep changing it.
 */
export async function updateWatchlist(
  { watchlist, patch, now }: UpdateRequest,
  dependencies: UpdateDependencies,
): Promise<Watchlist> {
  const { watchlists, schedules, warn } = dependencies;
  const { id, accountId } = watchlist;
  const endpoint =
    patch.endpoint && (await namedEndpoint(accountId, patch.endpoint, dependencies.endpoints));
  let before = watchlist;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const after = changedWatchlist(before, { patch, endpoint, now });
    if (after === before) return before;
    if (isRescheduled(before, after)) await schedules.put(listSchedule(after, now));
    const updated = await watchlists.update({ before, after });
    if (updated !== undefined) {
      await follow(before, updated, dependencies);
      return updated;
    }
    const found = await watchlists.get(accountId, id);
    if (found === undefined) {
      await hint(() => schedules.remove(id), warn);
      throw notFound("This watchlist");
    }
    before = found;
  }
  throw unavailable();
}

/** What only saves time: a list that is due is swept up, a tick of a paused one does nothing. */
async function follow(
  before: Watchlist,
  updated: Watchlist,
  { schedules, queue, warn }: UpdateDependencies,
): Promise<void> {
  const { id: watchlistId, accountId, nextRunAt } = updated;
  if (updated.status === "paused" && before.status === "active") {
    await hint(() => schedules.remove(watchlistId), warn);
  }
  const isDue = nextRunAt !== null && nextRunAt <= updated.updatedAt;
  if (isDue && isRescheduled(before, updated)) {
    await hint(() => queue.sendDue({ accountId, watchlistId, scheduledTime: nextRunAt }), warn);
  }
}
