import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { HistoryPoint, HistorySpan } from "../history/history.ts";
import type { HistoryStore } from "../history/history-store.ts";
import type { Run } from "../runs/run.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { PastRun } from "./past-reads.ts";

export interface PastRuns {
  /** The ended runs that started in the span, oldest first. */
  readonly wanted: readonly PastRun[];
  /** All runs that started at `since` or later, ended or not, oldest first. */
  readonly later: readonly PastRun[];
}

/**
 * Maximum time from the read of a point to the start of its run, in milliseconds. A source may
 * return readings that are a day old.
 */
const pointAgeMaxMs = 2 * 86_400_000;

/**
 * Reads the runs that started in a span, and all later runs, with their points. Only the newest
 * `limits.runHistoryMax` runs are stored.
 * @throws 400 INVALID_PARAM if the span has no ended run or begins before the oldest stored run, or
 * if the runs since then have more than `limits.backtestPointsMax` points
 */
export async function runsInSpan(
  watchlistId: string,
  { since, until }: HistorySpan,
  {
    runs,
    history,
  }: { readonly runs: Pick<RunStore, "list">; readonly history: Pick<HistoryStore, "runs"> },
): Promise<PastRuns> {
  const { runs: newest, hasMore } = await runs.list(watchlistId, limits.runHistoryMax);
  const stored = newest.toReversed();
  const [oldest] = stored;
  if (oldest !== undefined && (hasMore || oldest.runNumber > 1) && since < oldest.startedAt) {
    throw invalidParam(
      "since",
      `The service keeps the newest ${limits.runHistoryMax} runs. Send a 'since' of ` +
        `${oldest.startedAt} or later.`,
    );
  }
  const later = stored.filter(({ startedAt }) => startedAt >= since);
  const ended = later.filter(({ startedAt, phase }) => startedAt <= until && isEnded(phase));
  const [first] = ended;
  if (first === undefined) {
    throw invalidParam("since", "No run that ended started in this span. Send an earlier 'since'.");
  }
  const points = await pointsSince(watchlistId, first, history);
  const withPoints = (run: Run): PastRun => ({
    run,
    points: points.get(run.runNumber) ?? new Map(),
  });
  return { wanted: ended.map(withPoints), later: later.map(withPoints) };
}

const isEnded = (phase: Run["phase"]): boolean => phase === "emitting" || phase === "done";

type PointsByItem = Map<string, HistoryPoint[]>;

/** The points of a run and of all later runs, by run number and item ID. */
async function pointsSince(
  watchlistId: string,
  { runNumber: from, startedAt }: Run,
  history: Pick<HistoryStore, "runs">,
): Promise<ReadonlyMap<number, PointsByItem>> {
  const since = new Date(Date.parse(startedAt) - pointAgeMaxMs).toISOString();
  const byRun = new Map<number, PointsByItem>();
  let read = 0;
  const query = { watchlistId, order: "oldest_first", from, since, until: "9999" } as const;
  for await (const { runNumber, points } of history.runs(query)) {
    read += points.length;
    if (read > limits.backtestPointsMax) throw tooManyPoints();
    const byItem: PointsByItem = new Map();
    for (const point of points) byItem.set(point.id, [...(byItem.get(point.id) ?? []), point]);
    byRun.set(runNumber, byItem);
  }
  return byRun;
}

const tooManyPoints = (): Error =>
  invalidParam(
    "since",
    `The runs since then observed more than ${limits.backtestPointsMax} changes. Send a later 'since'.`,
  );
