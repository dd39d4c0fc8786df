import { hint, type Warn } from "../base/hint.ts";
import { listSchedule, type Schedules } from "../watchlists/schedules.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import { claimRun } from "./claim-run.ts";
import type { Run } from "./run.ts";
import type { RunQueue } from "./run-queue.ts";
import type { RunStore } from "./run-store.ts";

/**
 * Runs a list at once and restarts its schedule from now, also when it is paused. Undefined while a
 * run is in progress.
 */
export async function runNow(
  watchlist: Watchlist,
  now: Date,
  dependencies: {
    readonly runs: RunStore;
    readonly queue: RunQueue;
    readonly schedules: Schedules;
    readonly warn: Warn;
  },
): Promise<Run | undefined> {
  if (watchlist.runningRun !== null) return undefined;
  const run = await claimRun({ watchlist, trigger: "manual", due: now, now }, dependencies.runs);
  if (run === undefined) return undefined;
  const { queue, schedules, warn } = dependencies;
  await hint(() => queue.sendResume(run), warn);
  if (watchlist.status === "active") {
    const restarted = listSchedule({ ...watchlist, nextRunAt: now.toISOString() }, now);
    // The row knows when the list is due next; a schedule on the old grid only ticks late.
    await hint(() => schedules.put(restarted), warn);
  }
  return run;
}
