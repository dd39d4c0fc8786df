import type { Clock } from "../base/clock.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { mergeHistory } from "../history/merge-history.ts";
import type { MetricsSink } from "../observability/figures.ts";
import { limits } from "../base/limits.ts";
import { endpointBinding } from "../watchlists/endpoint-binding.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import type { RunEventPublisher } from "../events/publisher.ts";
import { refreshDueAfter } from "./refresh.ts";
import { creditShortage } from "./credit-shortage.ts";
import type { Run, RunRef, RunStats } from "./run.ts";
import { runEvents } from "./run-events.ts";
import { endMetrics } from "./run-metrics.ts";
import { runSegment } from "./run-history.ts";
import {
  creditsOf,
  statsOf,
  type StepResults,
  stepResultsOf,
  stepStats,
  unreadEntry,
} from "./run-outcomes.ts";
import type { RunStore } from "./run-store.ts";
import { runWatchlist } from "./run-watchlist.ts";
import type { StepStore } from "./step-store.ts";

export interface FinishDependencies {
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly history: Pick<HistoryStore, "append" | "isRecorded" | "mergedWindows" | "merge">;
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly publisher: RunEventPublisher;
  readonly endpoints: Pick<EndpointLookup, "list" | "deletions">;
  readonly clock: Clock;
  /** Called once with the run before its result is written, to add the run to log lines. */
  readonly begins?: (run: Run) => void;
  /** Receives the metrics of the ended run. */
  readonly report?: MetricsSink;
}

export interface FinishRequest extends RunRef {
  /** Time at which the merge of the history must stop. Absent: never. */
  readonly until?: Date;
}

/**
 * Finishes a run: writes its result to the run and its watchlist, records its history, publishes its
 * events, and merges the window of the history that it completes. All steps are idempotent. Does
 * nothing unless the run is in phase `finishing` or `emitting`. A run whose watchlist was deleted
 * has no history and no events. If a process dies or stops before the end, the run stays in the due
 * index, so that the sweeper has it finished again.
 */
export async function finishRun(
  { until, ...ref }: FinishRequest,
  dependencies: FinishDependencies,
): Promise<void> {
  const { runs, steps, clock } = dependencies;
  const found = await runs.get(ref);
  if (found?.phase !== "finishing" && found?.phase !== "emitting") return;
  dependencies.begins?.(found);
  const stepResults = await stepResultsOf(found, steps);
  if (found.phase === "finishing") {
    const shortage = creditShortage(
      found,
      stepResults.map(({ step }) => step),
    );
    const ended = { ...found, error: found.error ?? shortage };
    await endRun(ended, statsOf(found, stepResults), dependencies);
  }
  const run = found.phase === "finishing" ? await runs.get(ref) : found;
  if (run?.phase !== "emitting") return;
  const isOver = (): boolean => until !== undefined && clock.now() >= until;
  if (!(await recordAndPublish(run, { stepResults, isOver }, dependencies))) return;
  // The run history of a watchlist is limited, so this run replaces the oldest one.
  await runs.forget(run.watchlistId, run.runNumber - limits.runHistoryMax);
  await runs.markEmitted(run);
}

interface RunEnd {
  readonly stepResults: readonly StepResults[];
  readonly isOver: () => boolean;
}

/** Returns false if `isOver` returned true before the history was merged. */
async function recordAndPublish(
  run: Run,
  { stepResults, isOver }: RunEnd,
  { history, runs, publisher }: FinishDependencies,
): Promise<boolean> {
  if (run.watchlist === null) return true;
  const segment = runSegment(
    run,
    stepResults.map(({ points }) => points),
  );
  // Before the events, so that a receiver of an event finds the change in the history.
  const recorded = await history.append(run, segment);
  await publisher.publish({
    accountId: run.accountId,
    watchlistId: run.watchlistId,
    runId: run.id,
    runNumber: run.runNumber,
    runStartedAt: run.startedAt,
    webhookEndpointId: run.watchlist.webhookEndpointId,
    events: runEvents(run, stepResults),
  });
  if (recorded === "watchlist_deleted") return true;
  return mergeHistory(run, isOver, {
    history,
    async runsInProgress({ watchlistId, first, last }) {
      const found = await runs.list(watchlistId, last - first + 1, last + 1);
      const running = found.runs.filter(({ phase }) => phase !== "done");
      return new Set(running.map(({ runNumber }) => runNumber));
    },
  });
}

const notFinalized = "Run results could not be finalized. The run's events are late or missing.";

/**
 * Time after which a run in phase `finishing` fails, in milliseconds. Then its watchlist can run
 * again.
 */
export const finishTimeoutMs = 60 * 60 * 1_000;

/**
 * Ends a run as failed because its results cannot be finalized. Its watchlist can run again.
 * Idempotent.
 */
export async function failOverdueRun(
  run: Run,
  { steps, ...dependencies }: Omit<FinishDependencies, "publisher" | "history">,
): Promise<void> {
  const planned = await steps.list(run.id);
  const stats = { ...run.stats, steps: stepStats(planned), ...unreadEntry(run, planned) };
  await endRun({ ...run, status: "failed", error: run.error ?? notFinalized }, stats, dependencies);
}

/** Writes the end of a run and reports its metrics once. */
async function endRun(
  run: Run,
  stats: RunStats,
  dependencies: Omit<FinishDependencies, "publisher" | "history" | "steps">,
): Promise<void> {
  const { clock, report } = dependencies;
  const ended: Run = {
    ...run,
    phase: "emitting",
    finishedAt: clock.now().toISOString(),
    credits: creditsOf(stats.steps),
    stats,
  };
  const outcome = await endWithWatchlist(ended, dependencies);
  if (outcome === "finished") report?.([endMetrics(ended)]);
}

/**
 * Writes the run and its watchlist in one transaction, or the run alone if the watchlist was
 * deleted. Reads the watchlist again after each conflict: if a client resumes the watchlist at this
 * moment, earlier skips must not pause it.
 */
async function endWithWatchlist(
  ended: Run,
  dependencies: Pick<FinishDependencies, "runs" | "watchlists" | "endpoints">,
): Promise<"finished" | "finished_before"> {
  const { runs, watchlists } = dependencies;
  for (;;) {
    const watchlist = await watchlists.get(ended.accountId, ended.watchlistId);
    const outcome =
      watchlist?.runningRun === ended.runNumber
        ? await finishIn(watchlist, ended, dependencies)
        : await runs.finish({ ...ended, watchlist: null }, null);
    if (outcome !== "conflict") return outcome;
  }
}

/**
 * Ends the run and updates its watchlist. The run stores the ID of the webhook endpoint that
 * receives its events, so that an endpoint deleted or created later does not affect them. The
 * watchlist stores the endpoint's ID and URL, so that the binding survives when the endpoint is
 * deleted. The third scheduled run in a row that is skipped for lack of credits pauses the
 * watchlist.
 */
async function finishIn(
  watchlist: Watchlist,
  ended: Run,
  { runs, endpoints }: Pick<FinishDependencies, "runs" | "endpoints">,
): ReturnType<RunStore["finish"]> {
  const skips = skipsAfter(ended, watchlist.consecutiveSkips);
  const pause = skips >= limits.consecutiveSkipsMax && watchlist.status === "active";
  const endpoint = await endpointBinding(watchlist, endpoints);
  const webhookEndpointId = endpoint?.endpointId ?? null;
  const isStored =
    webhookEndpointId === watchlist.webhookEndpointId && endpoint?.url === watchlist.webhookUrl;
  return runs.finish(
    {
      ...ended,
      watchlist: runWatchlist({ ...(pause ? paused(watchlist) : watchlist), webhookEndpointId }),
    },
    {
      pause,
      consecutiveSkips: skips,
      refreshDue: refreshDueAfter(ended, watchlist.refreshDue),
      ...(endpoint !== null && !isStored && { endpoint }),
      revision: watchlist.revision,
    },
  );
}

/**
 * Number of runs in a row skipped for lack of credits, after this run. A skipped manual run does
 * not count.
 */
function skipsAfter(run: Run, before: number): number {
  if (run.status !== "insufficient_credits") return 0;
  return run.trigger === "manual" ? before : before + 1;
}

const paused = (watchlist: Watchlist): Watchlist => ({
  ...watchlist,
  status: "paused",
  pausedReason: "insufficient_credits",
  nextRunAt: null,
});
