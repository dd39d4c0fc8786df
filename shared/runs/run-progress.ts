import type { Run } from "./run.ts";
import type { StepStats } from "./step.ts";
import { creditsOf, stepStats } from "./run-outcomes.ts";
import type { StepStore } from "./step-store.ts";

/**
 * Returns a run in progress with its current stats and credits. The step in progress has the counts
 * of its recorded batches, and 0 credits until it is settled. Returns an ended run unchanged.
 */
export async function withProgress(run: Run, steps: StepStore): Promise<Run> {
  if (run.finishedAt !== null) return run;
  const records = await steps.list(run.id);
  const done: Record<string, StepStats> = stepStats(records);
  const current = records.find(({ stats, decision }) => stats === null && decision === "read");
  if (current !== undefined) {
    const { quarters: _unsettled, ...counts } = await steps.counts(current);
    // Credits are charged only when the step is settled, so they are 0 here.
    done[current.step] = { scraper: current.scraper, ...counts, credits: 0 };
  }
  return { ...run, credits: creditsOf(done), stats: { ...run.stats, steps: done } };
}
