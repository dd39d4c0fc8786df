import { nextRunAfter, type Schedule } from "./schedule.ts";
import type { Watchlist } from "./watchlist.ts";

export interface WatchlistSchedule {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly schedule: Schedule;
  /** Time of the first tick, later than now. */
  readonly firstAt: Date;
}

/**
 * The EventBridge schedules of watchlists. They only send ticks: the stored row decides if a
 * watchlist is due.
 */
export interface Schedules {
  /** Creates or replaces the watchlist's schedule. */
  put(schedule: WatchlistSchedule): Promise<void>;
  /** Deletes the watchlist's schedule. Does nothing if there is none. */
  remove(watchlistId: string): Promise<void>;
}

/**
 * Builds the EventBridge schedule of a watchlist. Its first tick is at the watchlist's next due
 * time, or at the one after now if the watchlist is due or overdue. A run that is due now is
 * started separately.
 */
export function watchlistSchedule(
  watchlist: Pick<Watchlist, "id" | "accountId" | "schedule" | "nextRunAt">,
  now: Date,
): WatchlistSchedule {
  const { id: watchlistId, accountId, schedule } = watchlist;
  const due = watchlist.nextRunAt === null ? now : new Date(watchlist.nextRunAt);
  const firstAt = due > now ? due : nextRunAfter(schedule, due, now);
  return { accountId, watchlistId, schedule, firstAt };
}
