import { type Difference, fieldDifferences, missing, present } from "./difference.ts";
import { limits } from "../../../shared/base/limits.ts";
import { markDifferences } from "./mark.ts";
import { creditsFor } from "../../../shared/credits/charge.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import {
  addBatchCounts,
  type BatchResult,
  noCounts,
  progressMs,
  type Run,
  type StepRecord,
} from "../../../shared/runs/run.ts";
import { creditsOf, statsOf } from "../../../shared/runs/run-findings.ts";

/** A run's row, and when the sweeper looks at it. */
export interface StoredRun {
  readonly run: Run;
  /** ISO 8601 UTC; null when the sweeper does not, as for a run that is over. */
  readonly dueAt: string | null;
}

/** A step with what its batches recorded, without the outcomes that nothing follows from. */
export interface RecordedStep {
  readonly step: StepRecord;
  readonly results: readonly BatchResult[];
}

/** True once stats and credits of a run stand. */
export const isFolded = ({ phase }: Run): boolean => phase === "emitting" || phase === "done";

/** What is said of a row that there is, and that nothing can be read from. */
export const unreadable = (place: string): Difference => ({
  place,
  field: "row",
  stored: "unreadable",
  expected: "readable",
});

export const runPlace = (watchlistId: string, runNumber: number): string =>
  `${watchlistId} run ${runNumber}`;

/** Takes the runs of a list, the newest first, and holds them to the list's row. */
export function runSequenceCheck(list: Watchlist) {
  let next = list.runCount;
  let highest = 0;
  let newest: Run | undefined;
  const gapBefore = (runNumber: number): Difference[] => {
    const gap = next > runNumber ? [missingRun(list, next, runNumber + 1)] : [];
    next = runNumber - 1;
    highest = Math.max(highest, runNumber);
    return gap;
  };
  return {
    take(stored: StoredRun, now: Date): Difference[] {
      const { run } = stored;
      const place = runPlace(list.id, run.runNumber);
      const gap = gapBefore(run.runNumber);
      if (run.runNumber === highest) newest = run;
      const { credits, stats } = run;
      return [
        ...gap,
        ...dueDifferences(place, stored, now),
        ...(isFolded(run)
          ? fieldDifferences(place, { credits }, { credits: creditsOf(stats.steps) })
          : []),
      ];
    },
    /** Takes a run's number of whose row nothing else is known. */
    takeUnreadable: (runNumber: number): Difference[] => [
      ...gapBefore(runNumber),
      unreadable(runPlace(list.id, runNumber)),
    ],
    /** @param runCount the list's, read after the runs: new ones may have begun meanwhile. */
    end(runCount: number): Difference[] {
      const kept = Math.max(1, list.runCount - limits.runHistoryMax + 1);
      return [
        ...(next < kept ? [] : [missingRun(list, next, kept)]),
        ...(newest?.runNumber === list.runCount ? newestDifferences(list, newest) : []),
        ...(highest > runCount
          ? [{ place: list.id, field: "run_count", stored: runCount, expected: highest }]
          : []),
      ];
    },
  };
}

const nextLook = (from: Date): Date => new Date(from.getTime() + progressMs);

/** A run that is not over is looked at whenever it has stood still for a while. */
function dueDifferences(place: string, { run, dueAt }: StoredRun, now: Date): Difference[] {
  const isOver = run.phase === "done";
  const isDue = dueAt !== null;
  if (isOver || !isDue) return fieldDifferences(place, { due_mark: isDue }, { due_mark: !isOver });
  return markDifferences({ place, field: "due_at" }, dueAt, { now, latest: nextLook });
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

/** What a run began with and what its steps recorded. */
export interface RecordedRun {
  readonly steps: readonly RecordedStep[];
  /** Items that started at one step or several. */
  readonly tracked: number;
}

/** A folded run and its steps against what the steps' batches recorded. */
export function resultDifferences(run: Run, { steps: recorded, tracked }: RecordedRun) {
  const place = runPlace(run.watchlistId, run.runNumber);
  const findings = recorded.map(({ step, results }) => ({
    step,
    outcomes: results.flatMap(({ outcomes }) => outcomes),
  }));
  const { steps, ...totals } = statsOf(run, findings);
  const { steps: stored, ...counted } = run.stats;
  const expected = Object.entries({ ...totals, tracked });
  // A run of an earlier release has no count of what that release did not count.
  const known = Object.fromEntries(expected.filter(([field]) => Object.hasOwn(counted, field)));
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
    ...fieldDifferences(place, { ...counted }, isUnfolded(run) ? { tracked } : known),
  ];
}

/** A run that could not be folded ends as failed, with nothing counted but its steps. */
const isUnfolded = ({ status, stats }: Run): boolean =>
  status === "failed" &&
  [
    stats.matched,
    stats.deferred,
    stats.changed,
    stats.notified ?? 0,
    stats.delisted,
    stats.retryNextRun,
  ].every((count) => count === 0);

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
    runPlace(run.watchlistId, run.runNumber),
    { "credits, which the ledger charged": run.credits },
    { "credits, which the ledger charged": charged },
  );
