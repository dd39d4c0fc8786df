import type { Clock } from "../base/clock.ts";
import { creditsFor } from "../credits/charge.ts";
import type { Ledger } from "../credits/ledger.ts";
import { scrapers } from "../scrapers/catalogue.ts";
import type { Run, RunStats, StepRecord, StepStats } from "./run.ts";
import type { RunQueue } from "./run-queue.ts";
import type { RunStore } from "./run-store.ts";
import type { StepStore } from "./step-store.ts";
import { holdIdOf } from "./start-run.ts";

export interface CompleteDependencies {
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly ledger: Ledger;
  readonly queue: RunQueue;
  readonly clock: Clock;
}

/**
 * Ends a step whose batches are all stored: folds their results, charges what was answered with one
 * rounding for the whole step, and sends the run on. Safe to repeat from any point.
 */
export async function completeStep(
  run: Run,
  step: StepRecord,
  { runs, steps, ledger, queue, clock }: CompleteDependencies,
): Promise<void> {
  const folded = await foldResults(step, steps);
  const settled = await ledger.settle({
    accountId: run.accountId,
    holdId: holdIdOf(step),
    credits: creditsFor((folded.ok + folded.notFound) * scrapers[step.scraper].costQuarters),
    succeeded: true,
    now: clock.now(),
  });
  const stats: StepStats = {
    scraper: step.scraper,
    requested: step.requested,
    ok: folded.ok,
    partial: folded.partial,
    notFound: folded.notFound,
    unavailable: folded.unavailable,
    credits: settled.credits,
    skipped: 0,
  };
  await steps.recordStats(step, stats);
  const runStats: RunStats = {
    ...run.stats,
    tracked: step.requested,
    newItems: step.newItems,
    steps: { [step.step]: stats },
    changed: folded.changed,
    delisted: folded.delisted,
    retryNextRun: folded.partial + folded.unavailable,
  };
  const ended = { status: "completed" as const, credits: settled.credits, stats: runStats };
  await runs.startFinishing(run, ended, ["reading"]);
  await queue.sendFinish(run);
}

async function foldResults(
  step: StepRecord,
  steps: StepStore,
): Promise<{
  ok: number;
  partial: number;
  notFound: number;
  unavailable: number;
  changed: number;
  delisted: number;
}> {
  const sum = { ok: 0, partial: 0, notFound: 0, unavailable: 0, changed: 0, delisted: 0 };
  for await (const result of steps.results(step)) {
    sum.ok += result.ok;
    sum.partial += result.partial;
    sum.notFound += result.notFound;
    sum.unavailable += result.unavailable;
    for (const outcome of result.outcomes) {
      if (outcome.changes !== undefined) sum.changed += 1;
      if (outcome.lastSnapshot !== undefined) sum.delisted += 1;
    }
  }
  return sum;
}
