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
 * The EventBridge schedule of a watchlist. If the watchlist is due now or overdue, it starts at the
 * due time after now.
 */
export function watchlistSchedule(
  list: Pick<Watchlist, "id" | "accountId" | "schedule" | "nextRunAt">,
  now: Date,
): WatchlistSchedule {
  const { id: watchlistId, accountId, schedule } = list;
  const due = list.nextRunAt === null ? now : new Date(list.nextRunAt);
  const firstAt = due > now ? due : nextRunAfter(schedule, due, now);
  return { accountId, watchlistId, schedule, firstAt };
}
