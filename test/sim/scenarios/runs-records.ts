import type { BatchResult, ItemOutcome, Run, StepRecord } from "../../../shared/runs/run.ts";
import type { RunStore } from "../../../shared/runs/run-store.ts";
import type { StepStore } from "../../../shared/runs/step-store.ts";

export interface StepRecords {
  readonly step: StepRecord;
  /** Ids of each batch of the plan that won, and what was recorded of it. */
  readonly batches: readonly {
    readonly ids: readonly string[];
    readonly result: BatchResult | undefined;
  }[];
}

/** A run with everything its steps recorded, in the order they were taken. */
export interface RunRecords {
  readonly run: Run;
  readonly steps: readonly StepRecords[];
}

/** Of one list, oldest first. */
export type Records = readonly RunRecords[];

export const outcomesOf = ({ batches }: StepRecords): readonly ItemOutcome[] =>
  batches.flatMap(({ result }) => result?.outcomes ?? []);

/** All runs of a list, oldest first. */
export async function collectRecords(
  { runs, steps }: { readonly runs: RunStore; readonly steps: StepStore },
  watchlistId: string,
): Promise<Records> {
  const found: RunRecords[] = [];
  for (const run of (await runs.list(watchlistId, 100)).runs.toReversed()) {
    const records: StepRecords[] = [];
    for (const step of await steps.list(run.id)) {
      const batches = [];
      for (let batch = 0; batch < step.batches; batch += 1) {
        const { accountId, runNumber } = run;
        const { planned, result } = await steps.open({
          accountId,
          watchlistId,
          runNumber,
          ...step,
          batch,
        });
        batches.push({ ids: planned?.ids ?? [], result });
      }
      records.push({ step, batches });
    }
    found.push({ run, steps: records });
  }
  return found;
}
