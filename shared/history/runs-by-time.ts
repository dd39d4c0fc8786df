import { inParallel } from "../base/in-parallel.ts";
import type { HistorySpan } from "./history.ts";
import type { HistoryStore } from "./history-store.ts";
import type { ListedRun } from "./run-changes.ts";

/** Number of watchlists, or of items, whose history is read at the same time. */
export const readsAtOnce = 10;

/** The watchlists whose runs are listed. */
export interface ListedWatchlists {
  readonly watchlistIds: readonly string[];
  /** The number of the newest run of each watchlist, recorded or not; absent if it never ran. */
  readonly newestRuns: ReadonlyMap<string, number>;
  readonly span: HistorySpan;
}

/** The place of a run in the list. */
export interface Place {
  readonly endedAt: string;
  readonly watchlistId: string;
  readonly runNumber: number;
}

/**
 * Returns the place of a run in a list of runs by time: its end time, watchlist ID and run number.
 */
export const placeOf = ({ watchlistId, segment }: ListedRun): Place => ({
  watchlistId,
  endedAt: segment.endedAt,
  runNumber: segment.runNumber,
});

/**
 * Compares a run with a place in the list: returns a negative number if the run precedes the place,
 * 0 if the run is at the place, and a positive number if the run follows the place. The list is
 * sorted by end time, latest first. Runs with the same end time are sorted by watchlist ID, and
 * those of one watchlist by run number, highest first.
 */
export function orderOf(run: ListedRun, place: Place): number {
  const { endedAt, watchlistId, runNumber } = placeOf(run);
  if (endedAt !== place.endedAt) return endedAt > place.endedAt ? -1 : 1;
  if (watchlistId !== place.watchlistId) return watchlistId < place.watchlistId ? -1 : 1;
  return place.runNumber - runNumber;
}

/** The runs of one watchlist, latest first. */
interface RunSource {
  /** The next run; undefined if there is none. */
  readonly next: () => Promise<ListedRun | undefined>;
  /** Stops reading. Call this function even if `next` has not returned all runs. */
  readonly end: () => Promise<void>;
}

/**
 * Yields the runs of several watchlists in a time span, in the order of `orderOf`: the run that
 * ended last comes first.
 * @param start place of the run with which to begin; if undefined, begins with the latest run of
 * the span
 */
export async function* runsByTime(
  query: ListedWatchlists,
  start: Place | undefined,
  history: Pick<HistoryStore, "runs" | "runsAt">,
): AsyncGenerator<ListedRun> {
  const sources =
    start === undefined
      ? await sourcesFromNewest(query, history)
      : sourcesFrom(query, start, history);
  const heads = await inParallel(sources, readsAtOnce, ({ next }) => next());
  try {
    for (;;) {
      const run = heads.reduce(
        (best, one) =>
          best === undefined || (one !== undefined && orderOf(one, placeOf(best)) < 0) ? one : best,
        undefined,
      );
      if (run === undefined) return;
      yield run;
      const index = heads.indexOf(run);
      heads[index] = await sources[index]?.next();
    }
  } finally {
    for (const { end } of sources) await end();
  }
}

/** Creates the sources of all watchlists for a page that begins at the run of `start`. */
function sourcesFrom(
  { watchlistIds, span }: ListedWatchlists,
  start: Place,
  history: Pick<HistoryStore, "runs">,
): readonly RunSource[] {
  // The runs of this page ended at `start.endedAt` or earlier. A point is never later than the end
  // of its run, so this `until` excludes no points of the page.
  const until = start.endedAt > span.until ? span.until : start.endedAt;
  return watchlistIds.map((watchlistId) => {
    const source = sourceOf(watchlistId, { since: span.since, until }, history);
    const next = async (): Promise<ListedRun | undefined> => {
      const run = await source.next();
      return run === undefined || orderOf(run, start) >= 0 ? run : next();
    };
    return { ...source, next };
  });
}

/** Reads the newest runs of all watchlists together, because a page often needs no other runs. */
async function sourcesFromNewest(
  { watchlistIds, newestRuns, span }: ListedWatchlists,
  history: Pick<HistoryStore, "runs" | "runsAt">,
): Promise<readonly RunSource[]> {
  const places = watchlistIds.flatMap((watchlistId) => {
    const runNumber = newestRuns.get(watchlistId);
    return runNumber === undefined ? [] : [{ watchlistId, runNumber }];
  });
  const newest = await history.runsAt(places, span);
  return watchlistIds.map((watchlistId) => {
    const segment = newest.get(watchlistId);
    // If the newest run ended after the span, the number of the last run in the span is unknown.
    if (segment === undefined || segment.endedAt > span.until) {
      return sourceOf(watchlistId, span, history);
    }
    if (segment.runNumber === 1 || segment.endedAt < span.since) {
      return sourceOfOne({ watchlistId, segment });
    }
    const rest = sourceOf(watchlistId, { ...span, from: segment.runNumber - 1 }, history);
    return segment.points.length === 0 ? rest : withFirst({ watchlistId, segment }, rest);
  });
}

/** Creates the source of one watchlist's runs in a span. */
function sourceOf(
  watchlistId: string,
  span: HistorySpan & { readonly from?: number },
  history: Pick<HistoryStore, "runs">,
): RunSource {
  const query = { watchlistId, ...span, order: "newest_first" } as const;
  const runs = history.runs(query)[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await runs.next();
      return done === true ? undefined : { watchlistId, segment: value };
    },
    async end() {
      await runs.return?.();
    },
  };
}

/** Creates a source that yields `run`, and then the runs of `rest`. */
function withFirst(run: ListedRun, rest: RunSource): RunSource {
  let first: ListedRun | undefined = run;
  return {
    ...rest,
    async next() {
      const next = first ?? (await rest.next());
      first = undefined;
      return next;
    },
  };
}

/** Returns a source with one run, or with none if the run has no points. */
const sourceOfOne = (run: ListedRun): RunSource => {
  const none = { next: async () => undefined, end: async () => {} };
  return run.segment.points.length === 0 ? none : withFirst(run, none);
};
