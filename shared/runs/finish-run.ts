import type { Clock, RandomSource } from "../base/clock.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { mergeHistory } from "../history/merge-history.ts";
import type { MetricsSink } from "../observability/metrics.ts";
import { limits } from "../base/limits.ts";
import { endpointBinding } from "../watchlists/endpoint-binding.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import type { RunEventPublisher } from "../events/publisher.ts";
import { refreshDueAfter } from "./refresh.ts";
import { creditShortage } from "./credit-shortage.ts";
import type { Run, RunRef, RunStats } from "./run.ts";
import { restoreItems } from "./discard-run.ts";
import { holdOf } from "./hold.ts";
import type { ItemSnapshots } from "./item-snapshots.ts";
import { missingFieldsToStore, shapeChangeOf } from "./source-shape.ts";
import { publicationOf, runEvents } from "./run-events.ts";
import { endMetrics } from "./run-metrics.ts";
import { runSegment } from "./run-history.ts";
import { creditsOf, statsOf, stepStats, unreadEntry } from "./run-outcomes.ts";
import { noResults, runResults, type RunResults } from "./run-results.ts";
import { totalsOf } from "./run-totals.ts";
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
  readonly pages: Pick<PageStore, "pages" | "replace" | "replaceItems">;
  /** Writes the snapshot files of runs; absent if no run has a snapshot file. */
  readonly snapshots?: ItemSnapshots;
  readonly clock: Clock;
  readonly random: RandomSource;
  /**
   * Called once with the run, before its result is written, so that the caller can add the run's ID
   * to later log lines.
   */
  readonly begins?: (run: Run) => void;
  /** Receives the metrics of the ended run. */
  readonly report?: MetricsSink;
}

/** The run to finish, and the time for it. */
export interface FinishRequest extends RunRef {
  /** Time at which the merge of the history must stop; absent for no limit. */
  readonly until?: Date;
}

/**
 * Finishes a run whose steps were read:
 * 1. writes a snapshot file of the items, if the account's S3 destination includes snapshot files,
 *    and stores the result in the run and its watchlist;
 * 2. records the history of the run;
 * 3. publishes the events of the run;
 * 4. merges the windows of the history that are complete.
 * If the brake holds the run, a call does only the first action and publishes a notice of the hold.
 * A call after the release or the discard does the other actions. For a discarded run, the call
 * first restores the items. A run whose watchlist was deleted has no history and no events.
 * Idempotent. Does nothing in the phases `claimed`, `reading`, `held` and `done`. If the process
 * fails or stops at `until`, the run stays in the due index, and the sweeper requests another call.
 */
export async function finishRun(
  { until, ...ref }: FinishRequest,
  dependencies: FinishDependencies,
): Promise<void> {
  const { runs, steps, clock } = dependencies;
  const foundRun = await runs.get(ref);
  if (foundRun === undefined || !isToFinish(foundRun)) return;
  dependencies.begins?.(foundRun);
  const planned = await steps.list(foundRun.id);
  const results = runResults(planned, steps);
  if (foundRun.phase === "finishing") {
    const totals = await totalsOf(foundRun, results, steps);
    const shortage = creditShortage(foundRun, planned);
    const shape = shapeChangeOf(foundRun, totals);
    const ended = {
      ...foundRun,
      error: foundRun.error ?? shortage,
      ...(shape !== undefined && { shape }),
    };
    const hold = holdOf(ended, totals);
    await endRun(
      { ...ended, ...(hold !== undefined && { hold }) },
      statsOf(foundRun, planned, totals.counts),
      dependencies,
    );
  }
  const run = foundRun.phase === "finishing" ? await runs.get(ref) : foundRun;
  if (run === undefined || !isToPublish(run)) return;
  const isOver = (): boolean => until !== undefined && clock.now() >= until;
  const isDone = await publishPhase(run, { results, isOver }, dependencies);
  if (!isDone) return;
  // The run history of a watchlist has a maximum length, so this run replaces the oldest one.
  await runs.forget(run.watchlistId, run.runNumber - limits.runHistoryMax);
  await leavePhase(run, runs);
}

const isToPublish = ({ phase }: Run): boolean =>
  phase === "emitting" || phase === "holding" || phase === "releasing" || phase === "discarding";

const isToFinish = (run: Run): boolean => run.phase === "finishing" || isToPublish(run);

/**
 * Does the work of the run's phase: restores the items of a discarded run, records the history, and
 * publishes events. Returns false if `isOver` returned true before this work was complete.
 */
async function publishPhase(
  run: Run,
  end: RunEnd,
  dependencies: FinishDependencies,
): Promise<boolean> {
  if (run.phase === "holding") {
    // Only the notice is published now. The history points of a held run are stored after its
    // release.
    await publishEvents(run, end.results, dependencies.publisher);
    return true;
  }
  if (run.phase === "discarding") {
    await restoreItems(run, dependencies);
    return recordAndPublish(run, { ...end, results: noResults }, dependencies);
  }
  return recordAndPublish(run, end, dependencies);
}

/** Moves a run whose work in its phase is complete to `held` (from `holding`) or to `done`. */
function leavePhase(run: Run, runs: RunStore): Promise<void> {
  if (run.phase === "holding") return runs.markHeld(run);
  return run.phase === "emitting" ? runs.markEmitted(run) : runs.endHold(run);
}

interface RunEnd {
  readonly results: RunResults;
  /** Returns true from the time `until` of the finish request on. */
  readonly isOver: () => boolean;
}

/**
 * Records the history points of a run, publishes its events, and merges the windows of the history
 * that are complete. Returns false if `isOver` returned true before the merge was complete.
 */
async function recordAndPublish(
  run: Run,
  { results, isOver }: RunEnd,
  { history, runs, publisher }: FinishDependencies,
): Promise<boolean> {
  if (run.watchlist === null) return true;
  const segment = runSegment(run, results);
  // The history is stored before the events, so that a receiver of an event finds the change in the
  // history.
  const recorded = await history.append(run, segment);
  await publishEvents(run, results, publisher);
  if (recorded === "watchlist_deleted") return true;
  return mergeHistory(run, isOver, {
    history,
    async runsInProgress({ watchlistId, first, last }) {
      const foundRuns = await runs.list(watchlistId, last - first + 1, last + 1);
      const running = foundRuns.runs.filter(({ phase }) => phase !== "done");
      return new Set(running.map(({ runNumber }) => runNumber));
    },
  });
}

async function publishEvents(
  run: Run,
  results: RunResults,
  publisher: RunEventPublisher,
): Promise<void> {
  if (run.watchlist === null) return;
  const { snapshot } = run;
  const isNotice = run.hold?.status === "held";
  // The items of a discarded run are restored, so they differ from those in the file.
  const hasSnapshot = run.hold === undefined || run.hold.status === "released";
  await publisher.publish({
    accountId: run.accountId,
    watchlistId: run.watchlistId,
    runId: publicationOf(run).id,
    runNumber: run.runNumber,
    runStartedAt: run.startedAt,
    webhookEndpointId: run.watchlist.webhookEndpointId,
    events: runEvents(run, results),
    ...(isNotice && { isHoldNotice: true }),
    ...(hasSnapshot && snapshot !== undefined && { snapshot }),
  });
}

const notFinalized = "Run results could not be finalized. The run's events are late or missing.";

/**
 * Milliseconds without progress after which a run in phase `finishing` fails, so that its watchlist
 * can run again.
 */
export const finishTimeoutMs = 60 * 60 * 1_000;

/**
 * Ends a run with status `failed` because its results were not finalized within `finishTimeoutMs`.
 * The caller checks this time. The watchlist can then run again. Idempotent.
 */
export async function failOverdueRun(
  run: Run,
  {
    steps,
    ...dependencies
  }: Omit<FinishDependencies, "publisher" | "history" | "pages" | "random">,
): Promise<void> {
  const planned = await steps.list(run.id);
  const stats = { ...run.stats, steps: stepStats(planned), ...unreadEntry(run, planned) };
  await endRun({ ...run, status: "failed", error: run.error ?? notFinalized }, stats, dependencies);
}

/**
 * Milliseconds without progress after which a run ends without a snapshot file. A file that cannot
 * be written must not fail the run.
 */
export const snapshotTimeoutMs = 15 * 60 * 1_000;

/**
 * Writes the snapshot file of a run. Returns an empty object if the run has no file, or if it has
 * made no progress for `snapshotTimeoutMs`.
 */
async function snapshotOf(
  ended: Run,
  { snapshots, clock }: Pick<FinishDependencies, "clock" | "snapshots">,
): Promise<Pick<Run, "snapshot">> {
  const stalledMs = clock.now().getTime() - Date.parse(ended.progressAt);
  if (snapshots === undefined || stalledMs >= snapshotTimeoutMs) return {};
  const snapshot = await snapshots.take(ended);
  return snapshot === null ? {} : { snapshot };
}

/** Writes the end of a run and reports its metrics once. */
async function endRun(
  run: Run,
  stats: RunStats,
  dependencies: Omit<FinishDependencies, "publisher" | "history" | "pages" | "random" | "steps">,
): Promise<void> {
  const { clock, report } = dependencies;
  const end: Run = {
    ...run,
    phase: run.hold === undefined ? "emitting" : "holding",
    finishedAt: clock.now().toISOString(),
    credits: creditsOf(stats.steps),
    stats,
  };
  const ended = { ...end, ...(await snapshotOf(end, dependencies)) };
  const outcome = await endWithWatchlist(ended, dependencies);
  if (outcome === "finished") report?.([endMetrics(ended)]);
}

/**
 * Writes the run and its watchlist in one transaction, or the run alone if the watchlist was
 * deleted. Reads the watchlist again after each conflict, because a client may have resumed the
 * watchlist, and earlier skips must then not pause it again.
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
        : await runs.finish(withoutWatchlist(ended), null);
    if (outcome !== "conflict") return outcome;
  }
}

/**
 * Returns the ended run as it is stored if its watchlist was deleted. Such a run has no events, so
 * it has no hold and no snapshot file.
 */
function withoutWatchlist(run: Run): Run {
  const { hold: _, snapshot: __, ...ended } = run;
  return { ...ended, phase: "emitting", watchlist: null };
}

/**
 * Ends the run and updates its watchlist. The run stores the ID of the webhook endpoint that
 * receives its events, so that endpoints that are deleted or created later do not affect the
 * delivery of these events. The watchlist stores the endpoint's ID and URL, so that a deletion of
 * the endpoint does not end the binding. The third consecutive scheduled run that is skipped for
 * lack of credits pauses the watchlist.
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
  const missingFields = missingFieldsToStore(ended);
  return runs.finish(
    {
      ...ended,
      watchlist: runWatchlist({ ...(pause ? inPause(watchlist) : watchlist), webhookEndpointId }),
    },
    {
      pause,
      consecutiveSkips: skips,
      refreshDue: refreshDueAfter(ended, watchlist.refreshDue),
      ...(endpoint !== null && !isStored && { endpoint }),
      ...(missingFields !== undefined && { missingFields }),
      revision: watchlist.revision,
    },
  );
}

/**
 * Returns the number of consecutive runs that were skipped for lack of credits, including this run;
 * 0 if this run was not skipped. A skipped manual run leaves the number unchanged.
 * @param before the number before this run
 */
function skipsAfter(run: Run, before: number): number {
  if (run.status !== "insufficient_credits") return 0;
  return run.trigger === "manual" ? before : before + 1;
}

const inPause = (watchlist: Watchlist): Watchlist => ({
  ...watchlist,
  status: "paused",
  pausedReason: "insufficient_credits",
  nextRunAt: null,
});
