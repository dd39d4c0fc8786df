import { type Difference, fieldDifferences, missing, present } from "../base/difference.ts";
import { limits } from "../base/limits.ts";
import { creditsFor } from "../credits/charge.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import { addBatchCounts, type BatchResult, noCounts, type Run, type StepRecord } from "./run.ts";
import { creditsOf, statsOf } from "./run-findings.ts";

/** A run's row, and whether the sweeper looks at it. */
export interface StoredRun {
  readonly run: Run;
  readonly isDue: boolean;
}

/** A step with what its batches recorded, without the outcomes that nothing follows from. */
export interface RecordedStep {
  readonly step: StepRecord;
  readonly results: readonly BatchResult[];
}

/** True once stats and credits of a run stand. */
export const isFolded = ({ phase }: Run): boolean => phase === "emitting" || phase === "done";

/** Takes the runs of a list, the newest first, and holds them to the list's row. */
export function runSequenceCheck(list: Watchlist) {
  let next = list.runCount;
  let newest: Run | undefined;
  return {
    take({ run, isDue }: StoredRun): Difference[] {
      newest ??= run;
      const place = `${list.id} run ${run.runNumber}`;
      const gap = next > run.runNumber ? [missingRun(list, next, run.runNumber + 1)] : [];
      next = run.runNumber - 1;
      const { credits, stats } = run;
      return [
        ...gap,
        ...fieldDifferences(place, { due_mark: isDue }, { due_mark: run.phase !== "done" }),
        ...(isFolded(run)
          ? fieldDifferences(place, { credits }, { credits: creditsOf(stats.steps) })
          : []),
      ];
    },
    end(): Difference[] {
      const kept = Math.max(1, list.runCount - limits.runHistoryMax + 1);
      return [
        ...(next < kept ? [] : [missingRun(list, next, kept)]),
        ...(newest?.runNumber === list.runCount ? newestDifferences(list, newest) : []),
      ];
    },
  };
}

function missingRun({ id }: Watchlist, newest: number, oldest: number): Difference {
  const place = newest === oldest ? `${id} run ${newest}` : `${id} runs ${oldest} to ${newest}`;
  return { place, field: "row", stored: missing, expected: present };
}

/** What a list says of its newest run. */
function newestDifferences(list: Watchlist, run: Run): Difference[] {
  const isOver = isFolded(run);
  return fieldDifferences(
    list.id,
    {
      running_run: list.runningRun,
      last_run_at: list.lastRunAt,
      last_run_status: list.lastRunStatus,
    },
    {
      running_run: isOver ? null : run.runNumber,
      last_run_at: run.startedAt,
      last_run_status: isOver ? run.status : "running",
    },
  );
}

/** A folded run and its steps against what the steps' batches recorded. */
export function resultDifferences(run: Run, recorded: readonly RecordedStep[]): Difference[] {
  const place = `${run.watchlistId} run ${run.runNumber}`;
  const findings = recorded.map(({ step, results }) => ({
    step,
    outcomes: results.flatMap(({ outcomes }) => outcomes),
  }));
  const { steps, ...expected } = statsOf(run, findings);
  const { steps: stored, ...totals } = run.stats;
  return [
    ...recorded.flatMap((one) => stepDifferences(`${place} step ${one.step.step}`, one)),
    ...Object.entries(steps).flatMap(([id, stats]) =>
      fieldDifferences(`${place} step ${id}`, { ...stored[id] }, { ...stats }),
    ),
    ...Object.keys(stored)
      .filter((id) => !Object.hasOwn(steps, id))
      .map((id) => ({
        place: `${place} step ${id}`,
        field: "stats",
        stored: present,
        expected: "none",
      })),
    ...(isUnfolded(run) ? [] : fieldDifferences(place, { ...totals }, { ...expected })),
  ];
}

/** A run that could not be folded ends as failed, with nothing counted but its steps. */
const isUnfolded = ({ status, stats }: Run): boolean =>
  status === "failed" &&
  [stats.matched, stats.deferred, stats.changed, stats.delisted, stats.retryNextRun].every(
    (count) => count === 0,
  );

function stepDifferences(place: string, { step, results }: RecordedStep): Difference[] {
  if (step.stats === null) return [];
  const { quarters, ...counts } = results.map((one) => one.counts).reduce(addBatchCounts, noCounts);
  const credits = step.decision === "read" ? creditsFor(quarters) : 0;
  return fieldDifferences(
    `${place} row`,
    { "batches done": step.done.size, "batches recorded": results.length, ...step.stats },
    { "batches done": step.batches, "batches recorded": step.batches, ...counts, credits },
  );
}

/** What the ledger charged for a run against what the run says it cost. */
export const chargeDifferences = (run: Run, charged: number): Difference[] =>
  fieldDifferences(
    `${run.watchlistId} run ${run.runNumber}`,
    { "credits, which the ledger charged": run.credits },
    { "credits, which the ledger charged": charged },
  );
