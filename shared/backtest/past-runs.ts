import { invalidParam, type ServiceError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { formatValue } from "../base/shown-value.ts";
import type { HistoryPoint, HistorySpan } from "../history/history.ts";
import type { HistoryStore } from "../history/history-store.ts";
import type { Run } from "../runs/run.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { PastRun } from "./past-run.ts";

/** The maximum numbers of reads, history points and items of a back-test. */
export interface BacktestBounds {
  /** Maximum number of item reads that a back-test repeats. */
  readonly readsMax: number;
  /** Maximum number of history points that are read. */
  readonly pointsMax: number;
  /** Maximum number of items whose earlier prices are read. */
  readonly tracedItemsMax: number;
}

/**
 * The result for a back-test that exceeds its bounds. `error` names the request field to change.
 */
export interface TooLarge {
  readonly outcome: "too_large";
  readonly error: ServiceError;
}

/** The past runs of a watchlist that a back-test uses. */
export interface PastRuns {
  readonly outcome: "found";
  /** The ended runs that started in the span, oldest first. */
  readonly wanted: readonly PastRun[];
  /** Numbers of the runs in the span that are held, were discarded or have not ended. */
  readonly leftOut: readonly number[];
  /** All runs that started at `since` or later, ended or not, oldest first. */
  readonly later: readonly PastRun[];
}

/**
 * Maximum time from the read of a point to the start of its run, in milliseconds. A source may
 * return values that are a day old.
 */
const pointAgeMaxMs = 2 * 86_400_000;

/**
 * Reads the runs that started in a span and all later runs, with the history points of all these
 * runs. Only the newest `limits.runHistoryMax` runs are stored.
 * @returns `too_large` if the runs since the start of the span have more than `pointsMax` points
 * @throws 400 INVALID_PARAM if the span has no ended run or begins before the oldest stored run
 */
export async function runsInSpan(
  watchlistId: string,
  { since, until, pointsMax }: HistorySpan & Pick<BacktestBounds, "pointsMax">,
  {
    runs,
    history,
  }: { readonly runs: Pick<RunStore, "list">; readonly history: Pick<HistoryStore, "runs"> },
): Promise<PastRuns | TooLarge> {
  const { runs: newest, hasMore } = await runs.list(watchlistId, limits.runHistoryMax);
  const stored = newest.toReversed();
  const [oldest] = stored;
  if (oldest !== undefined && (hasMore || oldest.runNumber > 1) && since < oldest.startedAt) {
    throw invalidParam(
      "since",
      `'since' must be ${oldest.startedAt} or later (got ${formatValue(since)}), because the ` +
        `service keeps only the newest ${limits.runHistoryMax} runs. Send a later 'since'.`,
    );
  }
  const later = stored.filter(({ startedAt }) => startedAt >= since);
  const ended = later.filter((run) => run.startedAt <= until && isRepeatable(run));
  const [first] = ended;
  if (first === undefined) throw noRun(stored.filter(isRepeatable), { since, until });
  const points = await pointsSince(watchlistId, { first, pointsMax }, history);
  if (points === "too many") return { outcome: "too_large", error: tooManyPoints(pointsMax) };
  const withPoints = (run: Run): PastRun => ({
    run,
    points: points.get(run.runNumber) ?? new Map(),
  });
  const leftOut = later
    .filter((run) => run.startedAt <= until && !isRepeatable(run))
    .map(({ runNumber }) => runNumber);
  return {
    outcome: "found",
    wanted: ended.map(withPoints),
    leftOut,
    later: later.map(withPoints),
  };
}

/**
 * Returns the error for a span without a run to repeat.
 * @param repeatable all runs that can be repeated, oldest first
 */
function noRun(repeatable: readonly Run[], { since, until }: HistorySpan): ServiceError {
  const [first, last] = [repeatable[0], repeatable.at(-1)];
  if (first === undefined || last === undefined) {
    return invalidParam(
      "since",
      "This watchlist has no run to repeat yet. Wait until its first run has ended.",
    );
  }
  if (until < first.startedAt) {
    return invalidParam(
      "until",
      `'until' must be ${first.startedAt} or later, the start of the first run that can be repeated (got ${formatValue(until)}).`,
    );
  }
  return since > last.startedAt
    ? invalidParam(
        "since",
        `'since' must be ${last.startedAt} or earlier, the start of the last run that can be repeated (got ${formatValue(since)}).`,
      )
    : invalidParam(
        "since",
        "This time span has no run that a back-test can repeat. A back-test repeats only runs that have ended and that are neither held nor discarded. Send an earlier 'since'.",
      );
}

/**
 * Returns true if a run can be repeated. A discarded run is not repeated, because the next run
 * started from the items as they were before the discarded run.
 */
const isRepeatable = ({ phase, hold }: Run): boolean =>
  (phase === "emitting" || phase === "done") && hold?.status !== "discarded";

type PointsByItem = Map<string, HistoryPoint[]>;

interface PointsQuery extends Pick<BacktestBounds, "pointsMax"> {
  readonly first: Run;
}

/** Returns the points of the first run and of all later runs, by run number and item ID. */
async function pointsSince(
  watchlistId: string,
  { first: { runNumber: from, startedAt }, pointsMax }: PointsQuery,
  history: Pick<HistoryStore, "runs">,
): Promise<ReadonlyMap<number, PointsByItem> | "too many"> {
  const since = new Date(Date.parse(startedAt) - pointAgeMaxMs).toISOString();
  const byRun = new Map<number, PointsByItem>();
  let read = 0;
  const query = { watchlistId, order: "oldest_first", from, since, until: "9999" } as const;
  for await (const { runNumber, points } of history.runs(query)) {
    read += points.length;
    if (read > pointsMax) return "too many";
    const byItem: PointsByItem = new Map();
    for (const point of points) byItem.set(point.id, [...(byItem.get(point.id) ?? []), point]);
    byRun.set(runNumber, byItem);
  }
  return byRun;
}

const tooManyPoints = (pointsMax: number): ServiceError =>
  invalidParam(
    "since",
    `The runs from 'since' on have more than ${pointsMax} history points. Send a later 'since'.`,
  );
