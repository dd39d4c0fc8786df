import type { Schedules } from "../watchlists/schedules.ts";
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
  },
): Promise<Run | undefined> {
  if (watchlist.runningRun !== null) return undefined;
  const run = await claimRun({ watchlist, trigger: "manual", due: now, now }, dependencies.runs);
  if (run === undefined) return undefined;
  await dependencies.queue.sendResume(run);
  if (watchlist.status === "active") {
    await dependencies.schedules.put({
      accountId: watchlist.accountId,
      watchlistId: watchlist.id,
      schedule: watchlist.schedule,
      firstAt: new Date(now.getTime() + watchlist.schedule.everySeconds * 1_000),
    });
  }
  return run;
}
