import type { Schedule } from "./schedule.ts";

export interface ListSchedule {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly schedule: Schedule;
  /** The first occurrence. */
  readonly firstAt: Date;
}

/** The alarm clock of the lists. It only wakes: whether a list is due is decided from its row. */
export interface Schedules {
  /** Creates the list's schedule, or replaces it. */
  put(schedule: ListSchedule): Promise<void>;
  /** Removes the list's schedule if there is one. */
  remove(watchlistId: string): Promise<void>;
}
