import { invalidParam } from "../base/errors.ts";
import { inParallel } from "../base/in-parallel.ts";
import { isIsoTime } from "../base/iso-time.ts";
import { limits } from "../base/limits.ts";
import type { FieldChange } from "./field-change.ts";
import type { HistorySpan } from "./history.ts";
import type { HistoryStore } from "./history-store.ts";
import { closeGaps, comparedWith, lastNumberBefore, type OpenGaps } from "./last-known.ts";
import {
  type ChangeFilter,
  changesIn,
  isOfField,
  isSelected,
  needsLastKnown,
} from "./run-changes.ts";
import {
  type ListedWatchlists,
  orderOf,
  type Place,
  placeOf,
  readsAtOnce,
  runsByTime,
} from "./runs-by-time.ts";

export const changeSorts = ["time", "size", "amount"] as const;

export interface ChangesQuery extends ChangeFilter, ListedWatchlists {
  /** Start of the kept history, ISO 8601. */
  readonly keptSince: string;
  /**
   * `time`: latest run first. `size`: largest change in percent first. `amount`: largest difference
   * first.
   */
  readonly sort: (typeof changeSorts)[number];
  readonly limit: number;
  /** `next` of the previous page. */
  readonly startingAfter: string | undefined;
}

export interface ChangesPage {
  readonly changes: readonly FieldChange[];
  /** `startingAfter` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Number of points after which a page ends, so that a page with few matches does not take long. */
const pagePointsMax = 100_000;
/**
 * Number of items whose history one page sorted by time may read, to find the last number before a
 * change from null. The page then ends.
 */
const pageLookupsMax = 100;
/**
 * Number of items whose history all pages sorted by size or amount may read together, for the same
 * purpose.
 */
const sizeLookupsMax = 1_000;

/**
 * Lists the changes of the items of watchlists, and delistings. The first known value of a field is
 * not a change. If the list is sorted by time, a page may have fewer entries than `limit` although
 * more follow. If it is sorted by size or amount, it has only changes with a number for these, and
 * the function compares all changes of the span.
 * @throws 400 INVALID_PARAM if `startingAfter` is malformed, or if the span has too many points to
 * compare
 */
export const listChanges = (query: ChangesQuery, history: Reader): Promise<ChangesPage> =>
  query.sort === "time" ? changesByTime(query, history) : changesBySize(query, history);

/** The place at which the next page continues, if the changes are sorted by time. */
interface TimeCursor extends Place {
  /** Number of changes of the run that earlier pages have examined, whether or not they matched. */
  readonly listed: number;
}

type Reader = Pick<HistoryStore, "item" | "runs" | "runsAt">;

async function changesByTime(query: ChangesQuery, history: Reader): Promise<ChangesPage> {
  const { limit, startingAfter } = query;
  const start = startingAfter === undefined ? undefined : timeCursor(startingAfter);
  const changes: FieldChange[] = [];
  let [points, lookups] = [0, 0];
  for await (const run of runsByTime(query, start, history)) {
    const isStart = start !== undefined && orderOf(run, start) === 0;
    const all = changesIn(run);
    const first = isStart ? start.listed : 0;
    if (isStart && first >= all.length) continue;
    const left = { limit: limit - changes.length, lookups: pageLookupsMax - lookups };
    const part = await matchingPart(all.slice(first), { query, left }, history);
    changes.push(...part.changes);
    lookups += part.lookups;
    points += run.segment.points.length;
    const listed = first + part.passed;
    if (listed < all.length || changes.length === limit || points >= pagePointsMax) {
      return { changes, next: textOf({ ...placeOf(run), listed }) };
    }
  }
  return { changes, next: null };
}

interface PageRest {
  readonly query: ChangesQuery;
  /** Number of entries and of history reads that the page may still have. */
  readonly left: { readonly limit: number; readonly lookups: number };
}

/**
 * Selects the matching changes from the first changes of a run, as many as the page may still have.
 * `passed` is the number of changes that were examined.
 */
async function matchingPart(
  all: readonly FieldChange[],
  { query, left }: PageRest,
  history: Pick<HistoryStore, "item">,
): Promise<{
  readonly changes: readonly FieldChange[];
  readonly passed: number;
  readonly lookups: number;
}> {
  const isUnknown = (change: FieldChange): boolean => needsLastKnown(change, query);
  const unknown = all.flatMap((change, n) => (isUnknown(change) ? [n] : []));
  const compared = all.slice(0, unknown[left.lookups]);
  const lookups = Math.min(unknown.length, left.lookups);
  const known =
    lookups === 0
      ? compared
      : await inParallel(compared, readsAtOnce, async (change) =>
          isUnknown(change)
            ? comparedWith(change, await lastNumberBefore(change, query.keptSince, history))
            : change,
        );
  const changes: FieldChange[] = [];
  for (const [n, change] of known.entries()) {
    if (changes.length === left.limit) return { changes, passed: n, lookups };
    if (isSelected(change, query)) changes.push(change);
  }
  return { changes, passed: known.length, lookups };
}

async function changesBySize(query: ChangesQuery, history: Reader): Promise<ChangesPage> {
  const { limit, sort, startingAfter } = query;
  const start =
    startingAfter === undefined
      ? { until: query.span.until, listed: 0 }
      : sizeCursor(startingAfter, sort);
  // All pages end at the `until` of the first page. Otherwise, runs that end between two pages
  // would shift the entries of the later pages.
  const span = { ...query.span, until: start.until };
  const end = start.listed + limit;
  const largest = firstOf<FieldChange>(end + 1, (a, b) => bySize(a, b, sort));
  const add = (change: FieldChange): void => {
    if (sizeOf(change, sort) !== null && isSelected(change, query)) largest.add(change);
  };
  const returns = await addChanges(query, { span, history, add });
  if (returns.length > sizeLookupsMax) throw tooManyReturns();
  const returned = await inParallel(returns, readsAtOnce, async (change) =>
    comparedWith(change, await lastNumberBefore(change, query.keptSince, history)),
  );
  for (const change of returned) add(change);
  const sized = largest.sorted();
  return {
    changes: sized.slice(start.listed, end),
    next: sized.length > end ? [start.until, end, sort].join(cursorSeparator) : null,
  };
}

/**
 * Keeps the first `count` of the added entries in sorted order. Equal entries keep the order in
 * which they were added.
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
      // Sorts only after many additions, so that adding an entry costs about one comparison.
      if (kept.length >= 2 * count + sortedMin) sorted();
    },
    sorted,
  };
}

const sortedMin = 1_000;

interface Collecting {
  readonly span: HistorySpan;
  readonly history: Pick<HistoryStore, "runs">;
  /** Receives each change that is compared with the last known value. */
  readonly add: (change: FieldChange) => void;
}

/**
 * Adds the changes of all runs in a span whose field the query accepts. Returns the changes from
 * null whose last known value is not in the span.
 */
async function addChanges(
  query: ChangesQuery,
  { span, history, add }: Collecting,
): Promise<readonly FieldChange[]> {
  let points = 0;
  const whole = { ...span, order: "newest_first" } as const;
  const found = await inParallel(query.watchlistIds, readsAtOnce, async (watchlistId) => {
    const gaps: OpenGaps = new Map();
    const newestRun = query.newestRuns.get(watchlistId);
    for await (const segment of history.runs({ ...whole, watchlistId, newestRun })) {
      points += segment.points.length;
      if (points > limits.comparedPointsMax) throw tooManyPoints();
      const returned: FieldChange[] = [];
      for (const change of changesIn({ watchlistId, segment })) {
        if (needsLastKnown(change, query)) returned.push(change);
        else if (isOfField(change, query)) add(change);
      }
      for (const change of closeGaps(gaps, segment.points, returned)) add(change);
    }
    return [...gaps.values()].flat();
  });
  return found.flat();
}

type Sort = ChangesQuery["sort"];

/** Size of a change in a list that is sorted by size or by amount; null if it has none. */
const sizeOf = ({ delta, deltaPercent }: FieldChange, sort: Sort): number | null =>
  sort === "amount" ? delta : deltaPercent;

/**
 * Largest change first, and the latest of equally large changes first. No two changes compare as
 * equal, so all pages have the same order.
 */
function bySize(a: FieldChange, b: FieldChange, sort: Sort): number {
  const bySizes = Math.abs(sizeOf(b, sort) ?? 0) - Math.abs(sizeOf(a, sort) ?? 0);
  if (bySizes !== 0) return bySizes;
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

const keyOf = ({ watchlistId, itemId, field, runNumber, step }: FieldChange): string =>
  [watchlistId, itemId, field, runNumber, step].join(cursorSeparator);

const tooManyReturns = (): Error =>
  invalidParam(
    "since",
    `For more than ${sizeLookupsMax} items, the last value before a change is older than 'since'. Send an ` +
      "earlier 'since', or sort by time.",
  );

const tooManyPoints = (): Error =>
  invalidParam(
    "since",
    `The time span has more than ${limits.comparedPointsMax} history points to compare. Send a later 'since', ` +
      "or sort by time.",
  );

/** A character that a URL need not encode. */
const cursorSeparator = "~";

const textOf = ({ endedAt, watchlistId, runNumber, listed }: TimeCursor): string =>
  [endedAt, watchlistId, runNumber, listed].join(cursorSeparator);

function timeCursor(text: string): TimeCursor {
  const [endedAt = "", watchlistId = "", runNumber = "", listed = ""] = text.split(cursorSeparator);
  if (!isTime(endedAt) || !isCount(runNumber) || !isCount(listed)) throw malformedCursor();
  return { endedAt, watchlistId, runNumber: Number(runNumber), listed: Number(listed) };
}

function sizeCursor(text: string, sort: Sort): { readonly until: string; readonly listed: number } {
  const [until = "", listed = "", sortedBy, ...more] = text.split(cursorSeparator);
  const isForm = isTime(until) && isCount(listed) && more.length === 0;
  if (!isForm || sortedBy !== sort) throw malformedCursor();
  return { until, listed: Number(listed) };
}

/** Returns true for a time that exists, in the form that cursors use. */
const isTime = (text: string): boolean => isIsoTime(text) && new Date(text).toISOString() === text;
const isCount = (text: string): boolean => /^\d{1,12}$/.test(text);

const malformedCursor = (): Error =>
  invalidParam(
    "starting_after",
    "'starting_after' must be the 'next_starting_after' of the previous page with the same 'sort'.",
  );
