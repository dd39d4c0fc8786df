import { derivedId } from "../base/ids.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { nextRunAfter } from "../watchlists/schedule.ts";
import { limitsOf } from "../watchlists/settings.ts";
import { pipelineOf, type Watchlist } from "../watchlists/watchlist.ts";
import { isRefresh } from "./refresh.ts";
import { emptyStats, type Run, type RunKind, type RunTrigger } from "./run.ts";
import type { RunStore } from "./run-store.ts";
import { runWatchlist } from "./run-watchlist.ts";

/** A request to start a run of a watchlist. */
export interface ClaimRequest {
  readonly watchlist: Watchlist;
  readonly trigger: RunTrigger;
  /** The due time of the claimed run. For a manual run, it is the time of the request. */
  readonly due: Date;
  readonly now: Date;
}

/**
 * Claims the next run of a watchlist and advances the watchlist's due time. The run ID is derived
 * from the watchlist and the due time, so one due time never creates two runs. Returns undefined if
 * the watchlist has no items, if a run is in progress, or if the watchlist changed after the caller
 * read it.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function claimRun(
  { watchlist, trigger, due, now }: ClaimRequest,
  runs: RunStore,
): Promise<Run | undefined> {
  const next = nextRunAt(watchlist, due, now);
  const pipeline = pipelineOf(watchlist);
  const runNumber = watchlist.runCount + 1;
  const kind = kindOf(watchlist, pipeline, runNumber);
  const run: Run = {
    id: derivedId("run", watchlist.id, due.toISOString()),
    accountId: watchlist.accountId,
    watchlistId: watchlist.id,
    runNumber,
    trigger,
    kind,
    phase: "claimed",
    status: "running",
    startedAt: now.toISOString(),
    finishedAt: null,
    progressAt: now.toISOString(),
    credits: 0,
    stats: emptyStats(startsAt(kind, pipeline)),
    error: null,
    pipeline,
    limits: limitsOf(watchlist),
    ...(watchlist.missingFields !== undefined && { missingFields: watchlist.missingFields }),
    plan: null,
    watchlist: runWatchlist({ ...watchlist, nextRunAt: next }),
  };
  const outcome = await runs.claim({ run, watchlist, nextRunAt: next });
  return outcome === "claimed" ? run : undefined;
}

/**
 * Returns the kind of the run. It is a baseline if the watchlist has no active and no delisted
 * item, so that every item is new.
 */
function kindOf(watchlist: Watchlist, pipeline: Pipeline, runNumber: number): RunKind {
  const { active, delisted } = watchlist.itemCounts;
  if (active + delisted === 0) return "baseline";
  return isRefresh(watchlist, pipeline, runNumber) ? "refresh" : "sweep";
}

/**
 * Returns the ID of the step at which the items of a run start. In a sweep or a refresh, new items
 * and owed retries can start at other steps.
 */
function startsAt(kind: RunKind, { entry, baseline, refresh }: Pipeline): string {
  if (kind === "baseline") return baseline ?? entry;
  return kind === "refresh" ? (refresh?.entry ?? entry) : entry;
}

/**
 * Returns the due time of the run after the claimed run (ISO 8601); null if the watchlist is
 * paused. The result is later than `now`, and never earlier than the stored due time. Without the
 * stored due time, a process that was frozen after it read `now` could move the due time back.
 */
function nextRunAt(watchlist: Watchlist, due: Date, now: Date): string | null {
  if (watchlist.status === "paused") return null;
  const next = nextRunAfter(watchlist.schedule, due, now).toISOString();
  const current = watchlist.nextRunAt ?? next;
  return next > current ? next : current;
}
