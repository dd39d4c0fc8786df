import type { Clock } from "../../shared/base/clock.ts";
import { type HistorySpan, isWithin, type RunSegment } from "../../shared/history/history.ts";
import type {
  HistoryStore,
  MergeOutcome,
  MergeRequest,
  RunsQuery,
} from "../../shared/history/history-store.ts";
import { withShownSpan } from "../../shared/history/kept-history.ts";
import { pointOf } from "../../shared/history/point-lines.ts";
import { runsOf } from "../../shared/history/window.ts";

export interface MemoryHistoryStore extends HistoryStore {
  /** Deletes the history of a watchlist. Later writes for the watchlist store nothing. */
  remove(watchlistId: string): void;
}

interface WatchlistHistory {
  readonly segments: Map<number, RunSegment>;
  mergedWindows: number;
}

/**
 * Creates an in-memory history store in which every watchlist exists until it is removed.
 * @param clock decides which points are too old to be returned; without a clock, the store returns
 * all points
 */
export function memoryHistoryStore(clock?: Clock): MemoryHistoryStore {
  const shown = <Query extends HistorySpan>(query: Query): Query =>
    clock === undefined ? query : withShownSpan(query, clock.now());
  const histories = new Map<string, WatchlistHistory>();
  const removed = new Set<string>();
  const historyOf = (watchlistId: string): WatchlistHistory => {
    const known = histories.get(watchlistId);
    if (known !== undefined) return known;
    const created = { segments: new Map<number, RunSegment>(), mergedWindows: 0 };
    histories.set(watchlistId, created);
    return created;
  };
  return {
    remove(watchlistId) {
      histories.delete(watchlistId);
      removed.add(watchlistId);
    },
    async append({ watchlistId }, segment) {
      if (removed.has(watchlistId)) return "watchlist_deleted";
      const { points: given } = segment;
      const points =
        Symbol.asyncIterator in given ? (await Array.fromAsync(given)).flat().map(pointOf) : given;
      historyOf(watchlistId).segments.set(segment.runNumber, { ...segment, points });
      return "appended";
    },
    isRecorded: async (watchlistId, runNumber) => historyOf(watchlistId).segments.has(runNumber),
    mergedWindows: async (watchlistId) => historyOf(watchlistId).mergedWindows,
    merge: async ({ watchlistId }, request) =>
      removed.has(watchlistId)
        ? { outcome: "watchlist_deleted" }
        : merge(historyOf(watchlistId), request),
    item: async ({ watchlistId, itemId, ...span }) =>
      inRunOrder(historyOf(watchlistId)).flatMap(({ runNumber, points }) =>
        points
          .filter((point) => point.id === itemId && isWithin(shown(span), point))
          .map(({ at, step, status, values }) => ({ runNumber, at, step, status, values })),
      ),
    async *runs({ watchlistId, ...query }) {
      yield* listed(inRunOrder(historyOf(watchlistId)), shown(query));
    },
    async runsAt(places, span) {
      const found = new Map<string, RunSegment>();
      for (const { watchlistId, runNumber } of places) {
        const segment = historyOf(watchlistId).segments.get(runNumber);
        if (segment !== undefined) found.set(watchlistId, within(segment, shown(span)));
      }
      return found;
    },
  };
}

function merge(history: WatchlistHistory, { window, absent, isOver }: MergeRequest): MergeOutcome {
  if (window <= history.mergedWindows) return { outcome: "merged" };
  const runs = runsOf(window).filter(
    (number) => !history.segments.has(number) && !absent.has(number),
  );
  if (runs.length > 0) return { outcome: "missing", runs };
  if (isOver()) return { outcome: "unfinished" };
  history.mergedWindows = window;
  return { outcome: "merged" };
}

const inRunOrder = ({ segments }: WatchlistHistory): readonly RunSegment[] =>
  [...segments.values()].toSorted((one, other) => one.runNumber - other.runNumber);

function listed(
  segments: readonly RunSegment[],
  { order, from, ...span }: Omit<RunsQuery, "watchlistId">,
): readonly RunSegment[] {
  const isNewestFirst = order === "newest_first";
  return (isNewestFirst ? segments.toReversed() : segments)
    .filter(
      ({ runNumber }) =>
        from === undefined || (isNewestFirst ? runNumber <= from : runNumber >= from),
    )
    .map((segment) => within(segment, span))
    .filter(({ points }) => points.length > 0);
}

const within = (segment: RunSegment, span: HistorySpan): RunSegment => ({
  ...segment,
  points: segment.points.filter((point) => isWithin(span, point)),
});
