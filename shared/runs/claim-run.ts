import { derivedId } from "../base/ids.ts";
import { defaultPipeline } from "../pipelines/default.ts";
import { nextRunAfter } from "../watchlists/schedule.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import { emptyStats, type Run, type RunTrigger } from "./run.ts";
import { runWatchlist } from "./run-watchlist.ts";
import type { RunStore } from "./run-store.ts";

export interface ClaimRequest {
  readonly watchlist: Watchlist;
  readonly trigger: RunTrigger;
  /** The due time that the run answers; a manual run is due when it is asked for. */
  readonly due: Date;
  readonly now: Date;
}

/**
 * Claims the next run of a list. The run's id follows from the list and the due time, so the same
 * due time never makes two runs. Undefined when the list changed or runs already.
 */
export async function claimRun(
  { watchlist, trigger, due, now }: ClaimRequest,
  runs: RunStore,
): Promise<Run | undefined> {
  const { active, delisted } = watchlist.itemCounts;
  const next = nextRunAt(watchlist, due, now);
  const run: Run = {
    id: derivedId("run", watchlist.id, due.toISOString()),
    accountId: watchlist.accountId,
    watchlistId: watchlist.id,
    runNumber: watchlist.runCount + 1,
    trigger,
    kind: active + delisted === 0 ? "baseline" : "sweep",
    phase: "claimed",
    status: "running",
    startedAt: now.toISOString(),
    finishedAt: null,
    credits: 0,
    stats: emptyStats(defaultPipeline(watchlist.platform).entry),
    error: null,
    watchlist: runWatchlist({ ...watchlist, nextRunAt: next }),
  };
  const outcome = await runs.claim({ run, watchlist, nextRunAt: next });
  return outcome === "claimed" ? run : undefined;
}

/** A paused list that is run by hand stays without a next run. */
function nextRunAt(watchlist: Watchlist, due: Date, now: Date): string | null {
  if (watchlist.status === "paused") return null;
  return nextRunAfter(watchlist.schedule, due, now).toISOString();
}
