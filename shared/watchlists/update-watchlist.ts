import type { RandomSource, Clock } from "../base/clock.ts";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { type ChangeAttempt, endAttempt, lost } from "../base/repeat-change.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { changeWatchlist, isRescheduled } from "./change-watchlist.ts";
import type { DueSender } from "./create-watchlist.ts";
import { findEndpointOfPatch } from "./named-endpoint.ts";
import { restoreSchedule } from "./restore-schedule.ts";
import { retryLostChange } from "./retry-lost-change.ts";
import { watchlistSchedule, type Schedules } from "./schedules.ts";
import type { WatchlistPatch } from "./update-request.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/** A change of a stored watchlist. */
export interface UpdateRequest {
  /** The stored watchlist. */
  readonly watchlist: Watchlist;
  readonly patch: WatchlistPatch;
  readonly now: Date;
}

export interface UpdateDependencies {
  readonly watchlists: WatchlistStore;
  readonly endpoints: EndpointLookup;
  readonly schedules: Schedules;
  readonly queue: DueSender;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly warn: Warn;
}

/**
 * Changes the settings of a watchlist. Returns the stored watchlist. Writes nothing if the change
 * has no effect. A run in progress continues with its original settings.
 * @throws 400 if a value in `patch` is not valid for this watchlist; 404 if the watchlist was
 * deleted; 409 after too many conflicts; 503 if the retry budget is exhausted
 */
export async function updateWatchlist(
  { watchlist, patch, now }: UpdateRequest,
  dependencies: UpdateDependencies,
): Promise<Watchlist> {
  const endpoint =
    patch.endpoint &&
    (await findEndpointOfPatch(watchlist, patch.endpoint, dependencies.endpoints));
  const attempt = async (before: Watchlist): Promise<ChangeAttempt<Watchlist>> => {
    const after = changeWatchlist(before, { patch, endpoint, now });
    if (after === "unchanged") return endAttempt(before);
    const updated = isRescheduled(before, after)
      ? await updateWithSchedule({ before, after, now }, dependencies)
      : await dependencies.watchlists.update({ before, after });
    if (updated === undefined) return lost;
    await notifyAfter(before, updated, dependencies);
    return endAttempt(updated);
  };
  return retryLostChange(watchlist, attempt, dependencies);
}

interface Change {
  readonly before: Watchlist;
  readonly after: Watchlist;
  readonly now: Date;
}

/**
 * Sets the EventBridge schedule before writing the row, so that an active watchlist always has a
 * schedule. If the row is not written, restores the schedule of the stored row.
 */
async function updateWithSchedule(
  { before, after, now }: Change,
  dependencies: UpdateDependencies,
): Promise<Watchlist | undefined> {
  const { watchlists, schedules, warn } = dependencies;
  const { accountId, id: watchlistId } = after;
  const restore = (): Promise<unknown> =>
    bestEffort(() => restoreSchedule({ accountId, watchlistId, now }, dependencies), warn);
  try {
    await schedules.put(watchlistSchedule(after, now));
    const updated = await watchlists.update({ before, after });
    if (updated === undefined) await restore();
    return updated;
  } catch (error) {
    await restore();
    throw error;
  }
}

/**
 * Deletes the schedule of a paused watchlist, or requests a run that is due now. Best effort: the
 * sweeper finds due watchlists, and ticks of a paused watchlist have no effect.
 */
async function notifyAfter(
  before: Watchlist,
  updated: Watchlist,
  { schedules, queue, warn }: UpdateDependencies,
): Promise<void> {
  const { id: watchlistId, accountId, nextRunAt } = updated;
  if (updated.status === "paused" && before.status === "active") {
    await bestEffort(() => schedules.remove(watchlistId), warn);
  }
  const isDue = nextRunAt !== null && nextRunAt <= updated.updatedAt;
  if (isDue && isRescheduled(before, updated)) {
    await bestEffort(
      () => queue.sendDue({ accountId, watchlistId, scheduledTime: nextRunAt }),
      warn,
    );
  }
}
