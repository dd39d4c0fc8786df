import { nextRunAfter, type Schedule } from "./schedule.ts";
import type { Watchlist } from "./watchlist.ts";

export interface ListSchedule {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly schedule: Schedule;
  /** The first occurrence of a cadence; of a cron the first that counts. Later than now. */
  readonly firstAt: Date;
}

/** The alarm clock of the lists. It only wakes: whether a list is due is decided from its row. */
export interface Schedules {
  /** Creates the list's schedule, or replaces it. */
  put(schedule: ListSchedule): Promise<void>;
  /** Removes the list's schedule if there is one. */
  remove(watchlistId: string): Promise<void>;
}

/** The schedule that wakes a list from now on; when it is due already, from the next time on. */
export function listSchedule(
  list: Pick<Watchlist, "id" | "accountId" | "schedule" | "nextRunAt">,
  now: Date,
): ListSchedule {
  const { id: watchlistId, accountId, schedule } = list;
  const due = list.nextRunAt === null ? now : new Date(list.nextRunAt);
  const firstAt = due > now ? due : nextRunAfter(schedule, due, now);
  return { accountId, watchlistId, schedule, firstAt };
}
