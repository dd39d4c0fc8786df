import { invalidParam } from "../base/errors.ts";
import { inParallel } from "../base/in-parallel.ts";
import { limits } from "../base/limits.ts";
import { cursorOf, isCount, isTime, malformedCursor, partsOf } from "./change-cursor.ts";
import type { ChangesPage, ChangesQuery, Reader } from "./changes-query.ts";
import type { FieldChange, FoundChange } from "./field-change.ts";
import type { RunSegment } from "./history.ts";
import { closeGaps, comparedWith, lastNumberBefore, type OpenGaps } from "./last-known.ts";
import { periodChanges } from "./period-changes.ts";
import { changesIn, isOfField, isSelected, needsLastKnown } from "./run-changes.ts";
import { readsAtOnce } from "./runs-by-time.ts";

/**
 * Maximum number of items whose history is read for one list, for all of its pages together. The
 * history of an item shows the last value of a field before it became null.
 */
const lookupsMax = 1_000;

/**
 * Returns a page of a list of changes for which all runs of the span must be read: a list sorted by
 * the size (percent) or the amount of the changes, or a list that compares the whole period
 * (`compare` = `period`). A list sorted by size omits changes whose size is null, and a list sorted
 * by amount omits changes whose amount is null.
 * @throws 400 INVALID_PARAM if `startingAfter` is malformed, if the span has too many points to
 * compare, or if too many last known values are older than the span
 */
export async function rankedChanges(query: ChangesQuery, history: Reader): Promise<ChangesPage> {
  const { limit, startingAfter } = query;
  const order = orderName(query);
  const start =
    startingAfter === undefined
      ? { until: query.span.until, listed: 0 }
      : rankCursor(startingAfter, order);
  // All pages end at the `until` of the first page. Otherwise, a run that ends between two requests
  // would move the entries of later pages.
  const ranked = { ...query, span: { ...query.span, until: start.until } };
  const end = start.listed + limit;
  const first = firstOf<FieldChange>(end + 1, (a, b) => byRank(a, b, query.sort));
  const add = (change: FieldChange): void => {
    if (isListed(change, query.sort) && isSelected(change, query)) first.add(change);
  };
  const collect = query.compare === "period" ? addPeriodChanges : addChanges;
  const unknown = await collect(ranked, { history, add });
  if (unknown.length > lookupsMax) throw tooManyLookups();
  const compared = await inParallel(unknown, readsAtOnce, async ({ change, place }) =>
    comparedWith(change, await lastNumberBefore(place, query.keptSince, history)),
  );
  for (const change of compared) add(change);
  const sorted = first.sorted();
  return {
    changes: sorted.slice(start.listed, end),
    next: sorted.length > end ? cursorOf([start.until, end, order]) : null,
  };
}

/** Returns the name of the sort order of the entries. Cursors contain this name. */
const orderName = ({ sort, compare }: ChangesQuery): string =>
  compare === "period" ? `${compare}-${sort}` : sort;

/**
 * Creates a collector that keeps the first `count` of the added entries by the order of `compare`.
 * Equal entries stay in the order in which they were added.
 */
function firstOf<Entry>(count: number, compare: (a: Entry, b: Entry) => number) {
  let kept: Entry[] = [];
  const sorted = (): readonly Entry[] => {
    kept = kept.sort(compare).slice(0, count);
    return kept;
  };
  return {
    add(entry: Entry): void {
      kept.push(entry);
      // Sorts only after many additions, so that an added entry costs about one comparison.
      if (kept.length >= 2 * count + sortedMin) sorted();
    },
    sorted,
  };
}

/** Minimum number of entries beyond `count` that a collector of `firstOf` keeps until it sorts. */
const sortedMin = 1_000;

/** A change whose last known value is in the history before the span. */
interface UnknownBefore {
  readonly change: FoundChange;
  /** The change before which the last known value must be searched in the history. */
  readonly place: FoundChange;
}

interface Collecting {
  readonly history: Pick<Reader, "runs">;
  /** Receives each change after its comparison with the last known value. */
  readonly add: (change: FieldChange) => void;
}

/**
 * Adds each change in the runs of the span if the query accepts its field. Returns the changes from
 * null for which the span does not contain the last known value.
 */
function addChanges(
  query: ChangesQuery,
  { history, add }: Collecting,
): Promise<readonly UnknownBefore[]> {
  return eachWatchlist(query, history, (watchlistId) => {
    const gaps: OpenGaps = new Map();
    return {
      add(segment) {
        const returned: FieldChange[] = [];
        for (const change of changesIn({ watchlistId, segment })) {
          if (needsLastKnown(change, query)) returned.push(change);
          else if (isOfField(change, query)) add(change);
        }
        for (const change of closeGaps(gaps, segment.points, returned)) add(change);
      },
      end: () => [...gaps.values()].flat().map((change) => ({ change, place: change })),
    };
  });
}

/**
 * For each item and each field that the query accepts, adds one change over the whole span. Returns
 * the changes for which the value before the span must be read from earlier history.
 */
function addPeriodChanges(
  query: ChangesQuery,
  { history, add }: Collecting,
): Promise<readonly UnknownBefore[]> {
  return eachWatchlist(query, history, (watchlistId) => {
    const period = periodChanges(watchlistId);
    return {
      add: period.add,
      end: () =>
        period.changes().flatMap(({ change, unknownBefore }) => {
          if (!isOfField(change, query)) return [];
          if (unknownBefore !== undefined && typeof change.after === "number") {
            return [{ change, place: unknownBefore }];
          }
          add(comparedWith(change, change.before));
          return [];
        }),
    };
  });
}

/** A collector for the runs of one watchlist. */
interface RunsOfWatchlist {
  /** Receives each run, newest first. */
  readonly add: (segment: RunSegment) => void;
  /** Returns the changes whose last known value must still be read, after the last run. */
  readonly end: () => readonly UnknownBefore[];
}

/**
 * Reads the runs of all watchlists of a query.
 * @throws 400 INVALID_PARAM if the runs have too many points
 */
async function eachWatchlist(
  { watchlistIds, newestRuns, span }: ChangesQuery,
  history: Pick<Reader, "runs">,
  collect: (watchlistId: string) => RunsOfWatchlist,
): Promise<readonly UnknownBefore[]> {
  let points = 0;
  const whole = { ...span, order: "newest_first" } as const;
  const unknown = await inParallel(watchlistIds, readsAtOnce, async (watchlistId) => {
    const { add, end } = collect(watchlistId);
    const newestRun = newestRuns.get(watchlistId);
    for await (const segment of history.runs({ ...whole, watchlistId, newestRun })) {
      points += segment.points.length;
      if (points > limits.comparedPointsMax) throw tooManyPoints();
      add(segment);
    }
    return end();
  });
  return unknown.flat();
}

type Sort = ChangesQuery["sort"];

/**
 * Returns the signed size by which a list sorted by `size` (percent) or `amount` (difference) ranks
 * a change; null if the change has no such size.
 */
const sizeOf = ({ delta, deltaPercent }: FieldChange, sort: Sort): number | null =>
  sort === "amount" ? delta : deltaPercent;

/** Returns false if a list that is sorted by size or amount leaves out the change. */
const isListed = (change: FieldChange, sort: Sort): boolean =>
  sort === "time" || sizeOf(change, sort) !== null;

/**
 * Compares two changes: the largest comes first, unless the list is sorted by time. If the sizes
 * are equal, the latest comes first. Never returns 0, so all pages have the same order.
 */
function byRank(a: FieldChange, b: FieldChange, sort: Sort): number {
  const bySizes =
    sort === "time" ? 0 : Math.abs(sizeOf(b, sort) ?? 0) - Math.abs(sizeOf(a, sort) ?? 0);
  if (bySizes !== 0) return bySizes;
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

const keyOf = ({ watchlistId, itemId, field, runNumber, step }: FieldChange): string =>
  cursorOf([watchlistId, itemId, field, runNumber, step]);

const tooManyLookups = (): Error =>
  invalidParam(
    "since",
    `For more than ${lookupsMax} items, the last value before a change is older than 'since'. Send an ` +
      "earlier 'since', or send sort=time without 'compare'.",
  );

const tooManyPoints = (): Error =>
  invalidParam(
    "since",
    `The time span has more than ${limits.comparedPointsMax} history points to compare. Send a later 'since', ` +
      "or send sort=time without 'compare'.",
  );

/**
 * Parses a cursor.
 * @throws 400 if it is malformed or belongs to another order
 */
function rankCursor(
  text: string,
  order: string,
): { readonly until: string; readonly listed: number } {
  const [until = "", listed = "", ordered, ...more] = partsOf(text);
  const isForm = isTime(until) && isCount(listed) && more.length === 0;
  if (!isForm || ordered !== order) throw malformedCursor();
  return { until, listed: Number(listed) };
}
