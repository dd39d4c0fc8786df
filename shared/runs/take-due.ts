import type { Report } from "../observability/figures.ts";
import { nextRunAfter } from "../watchlists/schedule.ts";
import type { Schedules } from "../watchlists/schedules.ts";
import { isEmpty, type Watchlist } from "../watchlists/watchlist.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { claimRun } from "./claim-run.ts";
import type { Run } from "./run.ts";
import { overlapFigures, startFigures } from "./run-figures.ts";
import type { RunStore } from "./run-store.ts";

/**
 * A tick of a cadence may name a time up to a minute before the due time: the Scheduler knows whole
 * seconds. Those of a cron fall on whole minutes, as its due times do, and on others beside them.
 */
const tickToleranceMs = { every: 60_000, cron: 0 } as const;

export interface DueTick {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly scheduledTime: Date;
  readonly now: Date;
}

/**
 * Turns a tick into a run to be taken on, if the watchlist is due by its own row: ticks may come
 * twice, late, or for a watchlist that has been paused or deleted. Undefined when there is nothing
 * to do. A watchlist without items does not run: its due time moves on, and nothing is recorded,
 * charged or sent; items that are added later are read at the next due time.
 */
export async function takeDue(
  tick: DueTick,
  dependencies: {
    readonly watchlists: WatchlistStore;
    readonly runs: RunStore;
    readonly schedules: Schedules;
    readonly report?: Report;
  },
): Promise<Run | undefined> {
  const watchlist = await dependencies.watchlists.get(tick.accountId, tick.watchlistId);
  if (watchlist === undefined || watchlist.status === "paused") {
    await dependencies.schedules.remove(tick.watchlistId);
  }
  if (watchlist === undefined) return undefined;
  const due = dueTime(watchlist, tick.scheduledTime);
  if (due === undefined) return unfinishedRun(watchlist, dependencies.runs);
  if (watchlist.runningRun !== null) {
    const next = nextRunAfter(watchlist.schedule, due, tick.now);
    await dependencies.watchlists.skipOverlap(watchlist, next.toISOString());
    dependencies.report?.([overlapFigures]);
    return undefined;
  }
  if (isEmpty(watchlist)) {
    const next = nextRunAfter(watchlist.schedule, due, tick.now);
    await dependencies.watchlists.skipEmpty(watchlist, next.toISOString());
    return undefined;
  }
  const trigger = watchlist.runCount === 0 ? "initial" : "schedule";
  const run = await claimRun({ watchlist, trigger, due, now: tick.now }, dependencies.runs);
  if (run !== undefined) dependencies.report?.([startFigures(run, due)]);
  return run;
}

/**
 * The run in progress when a tick comes that is not due: it is this run's own tick, come again,
 * because whoever took it first died over it.
 */
async function unfinishedRun(watchlist: Watchlist, runs: RunStore): Promise<Run | undefined> {
  if (watchlist.runningRun === null) return undefined;
  return runs.get({
    accountId: watchlist.accountId,
    watchlistId: watchlist.id,
    runNumber: watchlist.runningRun,
  });
}

function dueTime(watchlist: Watchlist, scheduledTime: Date): Date | undefined {
  if (watchlist.status !== "active" || watchlist.nextRunAt === null) return undefined;
  const due = new Date(watchlist.nextRunAt);
  const tolerance = tickToleranceMs[watchlist.schedule.type];
  return scheduledTime.getTime() + tolerance >= due.getTime() ? due : undefined;
}
