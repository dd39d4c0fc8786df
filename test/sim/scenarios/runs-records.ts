import type { HistoryPoint } from "../../../shared/history/history.ts";
import { pointOf } from "../../../shared/history/point-lines.ts";
import type { BatchResult } from "../../../shared/runs/batch.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import type { Run } from "../../../shared/runs/run.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import type { RunStore } from "../../../shared/runs/run-store.ts";
import type { StepStore } from "../../../shared/runs/step-store.ts";

/** A step, with the plan and the result of each of its batches. */
export interface StepRecords {
  readonly step: StepRecord;
  /** The recorded history points. */
  readonly points: readonly HistoryPoint[];
  /** The planned IDs and the recorded result of each batch. */
  readonly batches: readonly {
    readonly ids: readonly string[];
    readonly result: BatchResult | undefined;
  }[];
}

/** A run with its steps in their order. */
export interface RunRecords {
  readonly run: Run;
  readonly steps: readonly StepRecords[];
}

/** The runs of one watchlist, oldest first. */
export type Records = readonly RunRecords[];

/** Returns the outcomes of all recorded batches of a step. */
export const outcomesOf = ({ batches }: StepRecords): readonly ItemOutcome[] =>
  batches.flatMap(({ result }) => result?.outcomes ?? []);

/** Reads the 100 newest runs of a watchlist with their records. Returns them oldest first. */
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
      const points: HistoryPoint[] = [];
      for await (const result of steps.effectiveResults(step)) {
        points.push(...result.points.map(pointOf));
      }
      records.push({ step, points, batches });
    }
    found.push({ run, steps: records });
  }
  return found;
}
