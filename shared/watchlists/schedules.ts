import { nextRunAfter, type Schedule } from "./schedule.ts";
import type { Watchlist } from "./watchlist.ts";

/** The EventBridge schedule of a watchlist. */
export interface WatchlistSchedule {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly schedule: Schedule;
  /** Time of the first tick, later than now. */
  readonly firstAt: Date;
}

/**
 * The EventBridge schedules of watchlists. A schedule only sends ticks, which are wake-up messages.
 * The stored row of the watchlist decides whether a run is due.
 */
export interface Schedules {
  /** Creates or replaces the watchlist's schedule. */
  put(schedule: WatchlistSchedule): Promise<void>;
  /** Deletes the watchlist's schedule. Does nothing if there is none. */
  remove(watchlistId: string): Promise<void>;
}

/**
 * Builds the EventBridge schedule of a watchlist. The first tick is at the next due time of the
 * watchlist. If that time has passed, the first tick is at the first due time after `now`, and the
 * schedule does not start the run that is already due.
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
