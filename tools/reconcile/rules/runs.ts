import { type Difference, fieldDifferences, missing, present } from "./difference.ts";
import { limits } from "../../../shared/base/limits.ts";
import { markDifferences } from "./mark.ts";
import { creditsFor } from "../../../shared/credits/charge.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { addBatchCounts, type BatchResult, noCounts } from "../../../shared/runs/batch.ts";
import { progressTimeoutMs, type Run } from "../../../shared/runs/run.ts";
import type { StepRecord } from "../../../shared/runs/step.ts";
import { holdExpiresAt } from "../../../shared/runs/hold.ts";
import { isDeferredUnread } from "../../../shared/runs/step.ts";
import { addOutcomes, creditsOf, newCounts, statsOf } from "../../../shared/runs/run-outcomes.ts";

/** A run's row, with the time at which the sweeper next checks it. */
export interface StoredRun {
  readonly run: Run;
  /**
   * The time at which the sweeper next checks the run (ISO 8601 UTC); null if the run is not in the
   * due index. A finished run is not in it.
   */
  readonly dueAt: string | null;
}

/** A step with the records of its batches. Outcomes that change nothing are omitted. */
export interface RecordedStep {
  readonly step: StepRecord;
  readonly results: readonly BatchResult[];
  /**
   * The IDs of the items of the step, if a credit limit deferred it before the run read anything;
   * otherwise empty.
   */
  readonly unread: readonly string[];
}

/** Returns true if a run's statistics and credits are final. */
export const isFolded = ({ finishedAt }: Run): boolean => finishedAt !== null;

/** Returns true if the run has ended, so that its watchlist can run again. */
const isOver = ({ phase }: Run): boolean => phase === "emitting" || phase === "done";

/**
 * Returns the difference for a row that exists but whose content is damaged.
 * @param place name of what is checked, such as `wl_1 run 12`
 */
export const unreadable = (place: string): Difference => ({
  place,
  field: "row",
  stored: "unreadable",
  expected: "readable",
});

/** Returns the `place` of a run in a reported difference, such as `wl_1 run 12`. */
export const runPlace = (watchlistId: string, runNumber: number): string =>
  `${watchlistId} run ${runNumber}`;

/**
 * Creates a check of a watchlist's runs against the watchlist's row. Call `take` or
 * `takeUnreadable` for each run, newest first, and then `end`. Each call returns the differences
 * that it finds.
 */
export function runSequenceCheck(watchlist: Watchlist) {
  let next = watchlist.runCount;
  let highest = 0;
  let newest: Run | undefined;
  const gapBefore = (runNumber: number): Difference[] => {
    const gap = next > runNumber ? [missingRun(watchlist, next, runNumber + 1)] : [];
    next = runNumber - 1;
    highest = Math.max(highest, runNumber);
    return gap;
  };
  return {
    take(stored: StoredRun, now: Date): Difference[] {
      const { run } = stored;
      const place = runPlace(watchlist.id, run.runNumber);
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
    /** Adds a run that cannot be read. Only its number is known. */
    takeUnreadable: (runNumber: number): Difference[] => [
      ...gapBefore(runNumber),
      unreadable(runPlace(watchlist.id, runNumber)),
    ],
    /**
     * Ends the check. Returns the differences that only the whole list of runs shows.
     * @param runCount the watchlist's counter of runs, read after the runs, because new runs may
     * have started
     */
    end(runCount: number): Difference[] {
      const firstKept = Math.max(1, watchlist.runCount - limits.runHistoryMax + 1);
      return [
        ...(next < firstKept ? [] : [missingRun(watchlist, next, firstKept)]),
        ...(newest?.runNumber === watchlist.runCount ? newestDifferences(watchlist, newest) : []),
        ...(highest > runCount
          ? [{ place: watchlist.id, field: "run_count", stored: runCount, expected: highest }]
          : []),
      ];
    },
  };
}

const nextCheck = (from: Date): Date => new Date(from.getTime() + progressTimeoutMs);

/**
 * Checks the due time of a run, at which the sweeper next checks the run. A finished run must have
 * none. An unfinished run must have a due time, at most `progressTimeoutMs` from now. For a held
 * run, the latest valid due time is the time at which its hold expires.
 */
function dueDifferences(place: string, { run, dueAt }: StoredRun, now: Date): Difference[] {
  const isDone = run.phase === "done";
  const isDue = dueAt !== null;
  if (isDone || !isDue) return fieldDifferences(place, { due_mark: isDue }, { due_mark: !isDone });
  const latest = run.phase === "held" ? () => holdExpiresAt(run) : nextCheck;
  return markDifferences({ place, field: "due_at" }, dueAt, { now, latest });
}

function missingRun({ id }: Watchlist, newest: number, oldest: number): Difference {
  const place = newest === oldest ? `${id} run ${newest}` : `${id} runs ${oldest} to ${newest}`;
  return { place, field: "row", stored: missing, expected: present };
}

/** Compares the fields that a watchlist's row stores about its newest run. */
function newestDifferences(watchlist: Watchlist, run: Run): Difference[] {
  const isEnded = isOver(run);
  return fieldDifferences(
    watchlist.id,
    {
      running_run: watchlist.runningRun,
      last_run_at: watchlist.lastRunAt,
      last_run_status: watchlist.lastRunStatus,
    },
    {
      running_run: isEnded ? null : run.runNumber,
      last_run_at: run.startedAt,
      last_run_status: isEnded ? run.status : run.hold === undefined ? "running" : "held",
    },
  );
}

/** A run's steps with their records, and the number of its items. */
export interface RecordedRun {
  readonly steps: readonly RecordedStep[];
  /**
   * The number of items that start at any step. An item that starts at several steps counts once.
   */
  readonly tracked: number;
}

/** Compares a run's final statistics with the records of its steps. Returns the differences. */
export function resultDifferences(run: Run, { steps: recorded, tracked }: RecordedRun) {
  const place = runPlace(run.watchlistId, run.runNumber);
  const counts = newCounts();
  for (const { results, unread = [] } of recorded) {
    for (const { outcomes } of results) addOutcomes(counts, outcomes);
    for (const id of unread) counts.deferred.add(id);
  }
  const { steps, ...totals } = statsOf(
    run,
    recorded.map(({ step }) => step),
    counts,
  );
  const { steps: stored, ...counted } = run.stats;
  const expected = Object.entries({ ...totals, tracked });
  // An earlier release did not store all counts, so missing counts are ignored.
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

/**
 * Returns true for a run that failed without final statistics. Only its number of tracked items can
 * be compared.
 */
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
  const batches = isDeferredUnread(step) ? 0 : step.batches;
  return fieldDifferences(
    `${place} row`,
    { "batches done": step.done.size, "batches recorded": results.length, ...step.stats },
    { "batches done": batches, "batches recorded": batches, ...counts, credits },
  );
}

/** Compares a run's credits with the ledger's charges for the run. */
export const chargeDifferences = (run: Run, charged: number): Difference[] =>
  fieldDifferences(
    runPlace(run.watchlistId, run.runNumber),
    { "credits (compared with the ledger)": run.credits },
    { "credits (compared with the ledger)": charged },
  );
