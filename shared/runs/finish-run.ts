import type { Clock } from "../base/clock.ts";
import type { Report } from "../observability/figures.ts";
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
import { endFigures } from "./run-figures.ts";
import { creditsOf, runFindings, statsOf, stepStats } from "./run-findings.ts";
import type { RunStore } from "./run-store.ts";
import { runWatchlist } from "./run-watchlist.ts";
import type { StepStore } from "./step-store.ts";

export interface FinishDependencies {
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly watchlists: WatchlistStore;
  readonly publisher: RunEventPublisher;
  readonly endpoints: Pick<EndpointLookup, "list" | "deletions">;
  readonly clock: Clock;
  /** Called with the run before it is ended. */
  readonly begins?: (run: Run) => void;
  /** Told how the run ended. */
  readonly report?: Report;
}

/**
 * Ends a run: folds it into its list, then hands its events over. Both halves are repeated safely
 * after a crash; a list deleted meanwhile gets no events.
 */
export async function finishRun(ref: RunRef, dependencies: FinishDependencies): Promise<void> {
  const { runs, steps, publisher } = dependencies;
  const found = await runs.get(ref);
  if (found?.phase !== "finishing" && found?.phase !== "emitting") return;
  dependencies.begins?.(found);
  const findings = await runFindings(found, steps);
  if (found.phase === "finishing") {
    const shortage = creditShortage(
      found,
      findings.map(({ step }) => step),
    );
    const ended = { ...found, error: found.error ?? shortage };
    await endRun(ended, statsOf(found, findings), dependencies);
  }
  const run = found.phase === "finishing" ? await runs.get(ref) : found;
  if (run?.phase !== "emitting") return;
  if (run.watchlist !== null) {
    await publisher.publish({
      accountId: run.accountId,
      watchlistId: run.watchlistId,
      runId: run.id,
      runNumber: run.runNumber,
      runStartedAt: run.startedAt,
      webhookEndpointId: run.watchlist.webhookEndpointId,
      events: runEvents(run, findings),
    });
  }
  // The newest runs are kept: this one has pushed one out.
  await runs.forget(run.watchlistId, run.runNumber - limits.runHistoryMax);
  await runs.markEmitted(run);
}

const unfolded = "What the run found could not be put together. Its events are late or missing.";

/** How long a run may take to be folded before its list is given free without that. */
export const foldingMs = 60 * 60 * 1_000;

/** Ends a run that cannot be folded as failed, so that its list can run again. Safe to repeat. */
export async function releaseRun(
  run: Run,
  { steps, ...dependencies }: Omit<FinishDependencies, "publisher">,
): Promise<void> {
  const stats = { ...run.stats, steps: stepStats(await steps.list(run.id)) };
  await endRun({ ...run, status: "failed", error: run.error ?? unfolded }, stats, dependencies);
}

/** A run skipped for lack of credits counts; the third in a row pauses the list. */
async function endRun(
  run: Run,
  stats: RunStats,
  dependencies: Omit<FinishDependencies, "publisher" | "steps">,
): Promise<void> {
  const { clock, report } = dependencies;
  const ended: Run = {
    ...run,
    phase: "emitting",
    finishedAt: clock.now().toISOString(),
    credits: creditsOf(stats.steps),
    stats,
  };
  const outcome = await endWithList(ended, dependencies);
  if (outcome === "finished") report?.([endFigures(ended)]);
}

/**
 * The run and its list are written together, or the run alone when the list is gone. What its user
 * changes meanwhile counts: whoever resumes a list in this moment must not find it paused for the
 * skips before.
 */
async function endWithList(
  ended: Run,
  dependencies: Pick<FinishDependencies, "runs" | "watchlists" | "endpoints">,
): Promise<"finished" | "finished_before"> {
  const { runs, watchlists } = dependencies;
  for (;;) {
    const watchlist = await watchlists.get(ended.accountId, ended.watchlistId);
    const list = watchlist?.runningRun === ended.runNumber ? watchlist : undefined;
    const outcome =
      list === undefined
        ? await runs.finish({ ...ended, watchlist: null }, null)
        : await finishIn(list, ended, dependencies);
    if (outcome !== "conflict") return outcome;
  }
}

/**
 * Fixes which endpoint the run's events go to: an endpoint that is deleted or registered later
 * changes nothing about this run. The list stores the endpoint, so that it follows its URL from now
 * on.
 */
async function finishIn(
  list: Watchlist,
  ended: Run,
  { runs, endpoints }: Pick<FinishDependencies, "runs" | "endpoints">,
): ReturnType<RunStore["finish"]> {
  const skips = skipsAfter(ended, list.consecutiveSkips);
  const pause = skips >= limits.consecutiveSkipsMax && list.status === "active";
  const endpoint = await endpointBinding(list, endpoints);
  const webhookEndpointId = endpoint?.endpointId ?? null;
  const isStored =
    webhookEndpointId === list.webhookEndpointId && endpoint?.url === list.webhookUrl;
  return runs.finish(
    {
      ...ended,
      watchlist: runWatchlist({ ...(pause ? paused(list) : list), webhookEndpointId }),
    },
    {
      pause,
      consecutiveSkips: skips,
      refreshDue: refreshDueAfter(ended, list.refreshDue),
      ...(endpoint !== null && !isStored && { endpoint }),
      revision: list.revision,
    },
  );
}

/** A run that somebody asked for by hand says nothing about the schedule's credits. */
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
