import { nextRunAfter, type Schedule } from "./schedule.ts";
import type { Watchlist } from "./watchlist.ts";

export interface WatchlistSchedule {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly schedule: Schedule;
  /** Time from which the schedule ticks, later than now: the first tick of a cadence. */
  readonly firstAt: Date;
}

/** The EventBridge schedules of watchlists. They only send ticks: the row decides whether a watchlist is due. */
export interface Schedules {
  /** Creates or replaces the watchlist's schedule. */
  put(schedule: WatchlistSchedule): Promise<void>;
  /** Removes the watchlist's schedule if there is one. */
  remove(watchlistId: string): Promise<void>;
}

/** The EventBridge schedule of a watchlist. If the watchlist is due now, it starts at the next due time. */
export function watchlistSchedule(
  list: Pick<Watchlist, "id" | "accountId" | "schedule" | "nextRunAt">,
  now: Date,
): WatchlistSchedule {
  const { id: watchlistId, accountId, schedule } = list;
  const due = list.nextRunAt === null ? now : new Date(list.nextRunAt);
  const firstAt = due > now ? due : nextRunAfter(schedule, due, now);
  return { accountId, watchlistId, schedule, firstAt };
}
