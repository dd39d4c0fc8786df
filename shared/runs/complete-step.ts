import { creditsFor } from "../credits/charge.ts";
import { chargedItems } from "../items/envelope.ts";
import { advanceRun, type AdvanceDependencies } from "./advance-run.ts";
import { holdIdOf, releaseStepCredits, maxCostOf } from "./reserve-step.ts";
import type { Run } from "./run.ts";
import type { StepRecord } from "./step.ts";
import { stepMetrics, stepTimeMetrics } from "./run-metrics.ts";

export type CompleteDependencies = AdvanceDependencies;

/** A step whose batches are all done. */
export interface CompletedStep {
  readonly step: StepRecord;
  /**
   * Time at which the batches were sent to the queue; null if the sweeper resumed the run. Only the
   * messages of the batches contain this time.
   */
  readonly batchesSentAt: Date | null;
}

/**
 * Settles a step whose batches are all done. Then starts the next step or, if there is none, sends
 * the run to the finisher. Idempotent.
 */
export async function completeStep(
  run: Run,
  { step, batchesSentAt }: CompletedStep,
  dependencies: CompleteDependencies,
): Promise<void> {
  const { clock, report } = dependencies;
  const isSettled = step.stats !== null;
  await settleStep(run, step, dependencies);
  if (!isSettled && batchesSentAt !== null) {
    report?.([stepTimeMetrics(step, clock.now().getTime() - batchesSentAt.getTime())]);
  }
  await advanceRun(run, step.position + 1, dependencies);
}

/**
 * Settles a step: charges its answered items, rounded once for the whole step, and records its
 * stats. A deferred step costs nothing: its credit hold, if any, is released. Idempotent.
 * @throws 503 UNAVAILABLE if the ledger's rows stay contended or the retry budget is exhausted
 */
export async function settleStep(
  run: Run,
  step: StepRecord,
  {
    steps,
    ledger,
    clock,
    report,
  }: Pick<CompleteDependencies, "steps" | "ledger" | "clock" | "report">,
): Promise<void> {
  if (step.stats !== null) return;
  const { quarters, ...counts } = await steps.counts(step);
  // Another process that planned the same step may have reserved credits and then died.
  if (step.decision !== "read") await releaseStepCredits(run, step, { ledger, clock });
  const settled =
    step.decision === "read"
      ? await ledger.settle({
          accountId: run.accountId,
          holdId: holdIdOf(step),
          credits: creditsFor(quarters),
          items: chargedItems(counts),
          succeeded: run.error === null,
          now: clock.now(),
        })
      : { credits: 0 };
  const stats = { scraper: step.scraper, ...counts, credits: settled.credits };
  await steps.recordStats({ ...step, stats });
  const reserved = step.decision === "read" ? maxCostOf(step) : 0;
  report?.([stepMetrics(step, { reserved, charged: settled.credits })]);
}
