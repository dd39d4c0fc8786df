import type { ListsReader, StoredCounts } from "../readers/lists.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import { publicationOf } from "../../../shared/runs/run-events.ts";
import { type Difference, fieldDifferences } from "../rules/difference.ts";
import type { LedgerSums } from "../rules/ledger-fold.ts";
import { feedKeptSince } from "../rules/feed.ts";
import { isDeferredUnread } from "../../../shared/runs/step.ts";
import type { Run } from "../../../shared/runs/run.ts";
import {
  chargeDifferences,
  isFolded,
  type RecordedRun,
  type RecordedStep,
  resultDifferences,
  runPlace,
  runSequenceCheck,
} from "../rules/runs.ts";
import type { StepStore } from "../../../shared/runs/step-store.ts";
import type { EndedRun } from "../rules/delivery.ts";
import type { WatchlistRef } from "../../../shared/watchlists/page-store.ts";
import { countDifferences, pageFold, scheduleDifferences } from "../rules/list.ts";
import { confirm, type CheckResult } from "./confirmed.ts";
import { orUnreadable } from "./unreadable.ts";

interface ListsDependencies {
  readonly lists: ListsReader;
  readonly clock: Clock;
}

interface ItemsResult extends CheckResult {
  readonly items: number;
}

/**
 * Compares the items in a watchlist's pages with the watchlist's counters, and checks the rules of
 * the pages. Repeats the check until its differences are confirmed (see `confirm`). Returns the
 * differences, and the number of items in the pages; 0 if the watchlist was deleted.
 */
export const checkItems = (
  ref: WatchlistRef,
  dependencies: ListsDependencies,
): Promise<ItemsResult> => confirm(() => compareItems(ref, dependencies), dependencies);

async function compareItems(
  { accountId, watchlistId }: WatchlistRef,
  { lists }: ListsDependencies,
): Promise<ItemsResult> {
  const before = await lists.counts(accountId, watchlistId);
  const fold = pageFold(watchlistId);
  const differences: Difference[] = [];
  const noteOrphan = (sortKey: string): void => {
    const place = `${watchlistId} ${sortKey}`;
    differences.push({ place, field: "row", stored: "present", expected: "none without its page" });
  };
  for await (const page of lists.pages(watchlistId, noteOrphan)) {
    differences.push(...fold.take(page));
  }
  const { counts, items, differences: whole } = fold.end();
  const after = await lists.counts(accountId, watchlistId);
  // A deleted watchlist has no pages.
  if (before === undefined || after === undefined) {
    return { items: 0, differences: [], isSteady: true };
  }
  const isSteady = isSame(before, after);
  const counted = isSteady ? countDifferences(watchlistId, after, counts) : [];
  return { items, differences: [...differences, ...whole, ...counted], isSteady };
}

const isSame = (a: StoredCounts, b: StoredCounts): boolean =>
  a.total === b.total &&
  a.counts.new === b.counts.new &&
  a.counts.active === b.counts.active &&
  a.counts.delisted === b.counts.delisted;

interface RunsDependencies extends ListsDependencies {
  readonly steps: Pick<StepStore, "list" | "starts" | "effectiveResults">;
}

/** The watchlist whose runs are checked, and what its runs are compared with. */
export interface RunsCheck extends WatchlistRef {
  /** The number of newest runs whose results are compared with the records of their steps. */
  readonly runsMax: number;
  /**
   * The ledger's charges by run ID, and the time from which these charges are complete; null if the
   * ledger cannot be read.
   */
  readonly charged: {
    readonly sums: LedgerSums;
    readonly since: Date;
    /** The time at which the ledger was read. `sums` lacks the charges of later runs. */
    readonly until: Date;
  } | null;
}

interface RunsResult extends CheckResult {
  /** The number of runs whose results were compared with the records of their steps. */
  readonly runs: number;
  /** The finished runs whose events have not expired. */
  readonly ended: readonly EndedRun[];
}

/**
 * Checks a watchlist's schedule, its runs and the records of their steps. Repeats the check until
 * its differences are confirmed (see `confirm`). Returns the differences, and the runs whose events
 * must be in the feed.
 */
export const checkRuns = (wanted: RunsCheck, dependencies: RunsDependencies): Promise<RunsResult> =>
  confirm(() => compareRuns(wanted, dependencies), dependencies);

/**
 * Runs of the last 13 days have complete step records. A record expires after 14 days, and a run
 * may last one day.
 */
const recordedDays = 13;

async function compareRuns(wanted: RunsCheck, dependencies: RunsDependencies): Promise<RunsResult> {
  const { lists, clock } = dependencies;
  const { accountId, watchlistId, runsMax } = wanted;
  const stored = await lists.list(accountId, watchlistId);
  if (stored === undefined) return noRuns;
  const now = clock.now();
  const check = runSequenceCheck(stored.watchlist);
  const recordedSince = new Date(now.getTime() - recordedDays * 24 * 60 * 60 * 1_000);
  const keptSince = feedKeptSince(now);
  const differences = scheduleDifferences(stored, now);
  const ended: EndedRun[] = [];
  let [runs, newest] = [0, 0];
  const damaged = (runNumber: number): void => {
    differences.push(...check.takeUnreadable(runNumber));
  };
  for await (const line of lists.runs(watchlistId, damaged)) {
    const { run } = line;
    differences.push(...check.take(line, clock.now()));
    if (!isFolded(run)) continue;
    newest += 1;
    ended.push(...endedRun(run, { keptSince, isNewest: newest <= runsMax }));
    differences.push(...runCharge(run, wanted));
    if (newest > runsMax || new Date(run.startedAt) < recordedSince) continue;
    runs += 1;
    differences.push(...(await resultsOf(run, dependencies)));
  }
  const after = await lists.list(accountId, watchlistId);
  if (after === undefined) return noRuns;
  differences.push(...check.end(after.watchlist.runCount));
  return { runs, ended, differences, isSteady: true };
}

const noRuns: RunsResult = { runs: 0, ended: [], differences: [], isSteady: true };

/**
 * Returns a list that contains only the run if the events of the run must still be in the feed;
 * otherwise an empty list.
 */
function endedRun(
  run: Run,
  { keptSince, isNewest }: { readonly keptSince: string; readonly isNewest: boolean },
): EndedRun[] {
  const { watchlistId, runNumber, phase, finishedAt, watchlist } = run;
  if (phase !== "done" || watchlist === null || finishedAt === null) return [];
  const { id: runId, at: endedAt } = publicationOf(run);
  if (endedAt < keptSince) return [];
  const { webhookEndpointId } = watchlist;
  const place = runPlace(watchlistId, runNumber);
  return [{ place, runId, watchlistId, webhookEndpointId, endedAt, isNewest }];
}

function resultsOf(run: Run, dependencies: RunsDependencies): Promise<readonly Difference[]> {
  const place = `${runPlace(run.watchlistId, run.runNumber)} results`;
  return orUnreadable(place, async () =>
    resultDifferences(run, await recordedBy(run, dependencies)),
  );
}

function runCharge(run: Run, { charged }: RunsCheck): Difference[] {
  if (charged === null || !charged.sums.isWhole) return [];
  const isCovered =
    new Date(run.startedAt) >= charged.since &&
    run.finishedAt !== null &&
    new Date(run.finishedAt) < charged.until;
  return isCovered ? chargeDifferences(run, charged.sums.charged.get(run.id) ?? 0) : [];
}

async function recordedBy(run: Run, { steps }: RunsDependencies): Promise<RecordedRun> {
  const recorded: RecordedStep[] = [];
  const tracked = new Set<string>();
  for (const { id } of run.plan === null ? [] : run.pipeline.steps) {
    for (const ids of await steps.starts(run, id)) for (const one of ids) tracked.add(one);
  }
  for (const step of await steps.list(run.id)) {
    recorded.push({
      step,
      results: await Array.fromAsync(steps.effectiveResults(step)),
      unread: isDeferredUnread(step) ? (await steps.starts(run, step.step)).flat() : [],
    });
  }
  return { steps: recorded, tracked: tracked.size };
}

/** Compares the counter that limits an account's watchlists with the number of its watchlists. */
export async function checkListCount(
  accountId: string,
  dependencies: ListsDependencies,
): Promise<CheckResult> {
  const { lists } = dependencies;
  return confirm(async () => {
    const watchlists = await lists.listCount(accountId);
    const foundCount = (await Array.fromAsync(lists.lists(accountId))).length;
    const differences = fieldDifferences(accountId, { watchlists }, { watchlists: foundCount });
    return { differences, isSteady: true };
  }, dependencies);
}
