import type { MetricsSink } from "../observability/metrics.ts";
import { nextRunAfter } from "../watchlists/schedule.ts";
import type { Schedules } from "../watchlists/schedules.ts";
import { isEmpty, type Watchlist } from "../watchlists/watchlist.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { claimRun } from "./claim-run.ts";
import type { Run } from "./run.ts";
import { overlapMetrics, startMetrics } from "./run-metrics.ts";
import type { RunStore } from "./run-store.ts";

/**
 * Maximum time by which a tick may precede the due time, in milliseconds, by schedule type.
 * EventBridge Scheduler rounds the ticks of an `every` schedule to whole seconds, so they may be
 * early. The ticks of a cron schedule are exact, and some come at minutes at which no run is due.
 * With a tolerance, such a tick could start the next run too early.
 */
const tickToleranceMs = { every: 60_000, cron: 0 } as const;

/** A tick of a watchlist's schedule. */
export interface DueTick {
  readonly accountId: string;
  readonly watchlistId: string;
  /** Time for which the tick was scheduled. The tick may arrive later. */
  readonly scheduledTime: Date;
  readonly now: Date;
}

/**
 * Handles a schedule tick of a watchlist. A tick may arrive twice, late, or for a paused or deleted
 * watchlist, so only the stored due time decides whether the watchlist is due. Returns the run to
 * start or resume:
 * - due, and no run is in progress: the run that this call claims;
 * - due, but a run is in progress or the watchlist has no items: undefined. The due time advances,
 *   and nothing is recorded, charged or sent;
 * - not due: the run in progress, if there is one (see `unfinishedRun`);
 * - in all other cases: undefined.
 * Also removes the schedule of a paused or deleted watchlist.
 */
export async function claimDueRun(
  tick: DueTick,
  dependencies: {
    readonly watchlists: WatchlistStore;
    readonly runs: RunStore;
    readonly schedules: Schedules;
    readonly report?: MetricsSink;
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
    dependencies.report?.([overlapMetrics]);
    return undefined;
  }
  if (isEmpty(watchlist)) {
    const next = nextRunAfter(watchlist.schedule, due, tick.now);
    await dependencies.watchlists.skipEmpty(watchlist, next.toISOString());
    return undefined;
  }
  const trigger = watchlist.runCount === 0 ? "initial" : "schedule";
  const run = await claimRun({ watchlist, trigger, due, now: tick.now }, dependencies.runs);
  if (run !== undefined) dependencies.report?.([startMetrics(run, due)]);
  return run;
}

/**
 * Returns the run to resume after a tick that is not due: the run in progress, if there is one. If
 * the process that claimed a run died, SQS delivers the tick again, after the due time has
 * advanced.
 */
async function unfinishedRun(watchlist: Watchlist, runs: RunStore): Promise<Run | undefined> {
  if (watchlist.runningRun === null) return undefined;
  return runs.get({
    accountId: watchlist.accountId,
    watchlistId: watchlist.id,
    runNumber: watchlist.runningRun,
  });
}

/** Returns the due time of a watchlist if the tick reaches it; undefined if no run is due. */
function dueTime(watchlist: Watchlist, scheduledTime: Date): Date | undefined {
  if (watchlist.status !== "active" || watchlist.nextRunAt === null) return undefined;
  const due = new Date(watchlist.nextRunAt);
  const tolerance = tickToleranceMs[watchlist.schedule.type];
  return scheduledTime.getTime() + tolerance >= due.getTime() ? due : undefined;
}
