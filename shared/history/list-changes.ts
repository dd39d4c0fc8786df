import { inParallel } from "../base/in-parallel.ts";
import { cursorOf, isCount, isTime, malformedCursor, partsOf } from "./change-cursor.ts";
import type { ChangesPage, ChangesQuery, Reader } from "./changes-query.ts";
import type { FieldChange } from "./field-change.ts";
import type { HistoryStore } from "./history-store.ts";
import { comparedWith, lastNumberBefore } from "./last-known.ts";
import { rankedChanges } from "./ranked-changes.ts";
import { changesIn, isSelected, needsLastKnown } from "./run-changes.ts";
import { orderOf, type Place, placeOf, readsAtOnce, runsByTime } from "./runs-by-time.ts";

/**
 * Number of examined history points after which a page ends, so that a page with few matches does
 * not take long to build.
 */
const pagePointsMax = 100_000;
/**
 * Maximum number of items whose history is read for one page sorted by time, to find the last
 * number before a change from null. A page that reaches the maximum ends with fewer entries than
 * requested.
 */
const pageLookupsMax = 100;
/**
 * Returns a page of the list of changes of watchlist items, including delistings. The first known
 * value of a field is not a change.
 *
 * If the list is sorted by time, a page may have fewer entries than `limit` although more entries
 * follow. If the list is sorted by the size or the amount of the changes, or if `compare` is
 * `period`, reads and compares all changes of the span.
 * @throws 400 INVALID_PARAM if `startingAfter` is malformed, or if all changes of the span must be
 * compared, but the span has too many points, or too many last known values are older than the span
 */
export const listChanges = (query: ChangesQuery, history: Reader): Promise<ChangesPage> =>
  query.sort === "time" && query.compare === "reads"
    ? changesByTime(query, history)
    : rankedChanges(query, history);

/** The place at which the next page continues, if the changes are sorted by time. */
interface TimeCursor extends Place {
  /** Number of the run's changes that earlier pages have examined, whether or not they matched. */
  readonly listed: number;
}

/** Lists changes by time, run by run. A page can end before it is full. */
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
  /**
   * `limit`: how many more entries the page may have. `lookups`: for how many more items the
   * history may be read.
   */
  readonly left: { readonly limit: number; readonly lookups: number };
}

/**
 * Selects the matching changes of a run, in order, until the page is full or no history may be read
 * any more. `passed` is the number of changes that were examined, whether or not they matched.
 * `lookups` is the number of items whose history was read.
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

const textOf = ({ endedAt, watchlistId, runNumber, listed }: TimeCursor): string =>
  cursorOf([endedAt, watchlistId, runNumber, listed]);

function timeCursor(text: string): TimeCursor {
  const [endedAt = "", watchlistId = "", runNumber = "", listed = ""] = partsOf(text);
  if (!isTime(endedAt) || !isCount(runNumber) || !isCount(listed)) throw malformedCursor();
  return { endedAt, watchlistId, runNumber: Number(runNumber), listed: Number(listed) };
}
