import { occurrencesOf } from "./schedule-store.ts";
import type { ScheduleStore, StoredSchedule } from "./schedule-store.ts";

/** The clock that fires schedules when they are due. */
export interface ScheduleClock {
  /** Calculates again when the next schedule is due. Call it after a change of a schedule. */
  reconsider(): void;
  /** Stops firing schedules, and waits until schedules in progress have fired. */
  stop(): Promise<void>;
}

/** Sends the input of a schedule to its target. `scheduledTime` is the time of the occurrence. */
export type Fire = (schedule: StoredSchedule, scheduledTime: Date) => Promise<void>;

/**
 * The longest wait before the clock checks the time again, because timers stop while a computer
 * sleeps.
 */
const sleepMillisecondsMax = 60_000;

/**
 * Starts the clock that fires schedules when they are due. If a schedule missed several occurrences
 * while the world was stopped, fires it once, with the time of the last missed occurrence.
 */
export function startScheduleClock(store: ScheduleStore, fire: Fire): ScheduleClock {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let firing = Promise.resolve();

  const fireDue = async (): Promise<void> => {
    for (const schedule of store.all()) {
      const now = Date.now();
      const scheduledTime = latestDue(schedule, now);
      if (!scheduledTime || stopped) continue;
      await fire(schedule, scheduledTime);
      settle(store, schedule, now);
    }
    arm();
  };
  const arm = (): void => {
    clearTimeout(timer);
    if (stopped) return;
    const wait = nextDue(store) - Date.now();
    timer = setTimeout(
      () => {
        firing = firing.then(fireDue);
      },
      Math.min(Math.max(wait, 0), sleepMillisecondsMax),
    );
  };
  arm();
  return {
    reconsider: arm,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await firing;
    },
  };
}

function upcoming(schedule: StoredSchedule): Date | null {
  if (schedule.definition.State === "DISABLED") return null;
  const occurrences = occurrencesOf(schedule.definition, schedule.modifiedAt);
  return occurrences.next(new Date(schedule.handledUntil));
}

function nextDue(store: ScheduleStore): number {
  return store
    .all()
    .map((schedule) => upcoming(schedule)?.getTime() ?? Infinity)
    .reduce((earliest, at) => Math.min(earliest, at), Infinity);
}

function latestDue(schedule: StoredSchedule, now: number): Date | null {
  let latest: Date | null = null;
  const occurrences = occurrencesOf(schedule.definition, schedule.modifiedAt);
  let at = upcoming(schedule);
  while (at && at.getTime() <= now) {
    latest = at;
    at = occurrences.next(at);
  }
  return latest;
}

/**
 * Records that a schedule has fired. Deletes the schedule if this was its last occurrence and its
 * settings require the deletion. Does nothing if a client has changed the schedule since it fired.
 */
function settle(store: ScheduleStore, fired: StoredSchedule, now: number): void {
  const current = store.get(fired.definition.GroupName, fired.name);
  if (!current || current.modifiedAt !== fired.modifiedAt) return;
  const settled = { ...current, handledUntil: now };
  const over = !upcoming(settled);
  if (over && settled.definition.ActionAfterCompletion === "DELETE") {
    store.remove(settled.definition.GroupName, settled.name);
  } else {
    store.put(settled);
  }
}
