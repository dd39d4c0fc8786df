import { percentChange } from "../base/percent.ts";
import type { FieldValue } from "../scrapers/catalog.ts";
import { kindOf } from "./change-kinds.ts";
import type { FieldChange, FoundChange } from "./field-change.ts";
import type { HistoryPoint } from "./history.ts";
import type { HistoryStore } from "./history-store.ts";

/**
 * Returns true if a change goes from null to a number: a field such as the price has a value again.
 */
export const isReturn = ({ before, after }: Pick<FoundChange, "after" | "before">): boolean =>
  before === null && typeof after === "number";

/**
 * Compares a change with the last known value before it. Returns the change with the last known
 * value, the kind of the change, and the difference from the last known value, as an amount and in
 * percent. The difference is null unless both values are numbers. The percentage is also null if
 * the last known value is 0.
 */
export function comparedWith(change: FoundChange, lastKnown: FieldValue): FieldChange {
  // Naming the members is three times as fast as copying them with a spread, and a list can compare
  // 100,000 changes.
  const { watchlistId, itemId, field, before, after, at, runNumber, step } = change;
  const isNumeric = typeof lastKnown === "number" && typeof after === "number";
  const delta = isNumeric ? after - lastKnown : null;
  const deltaPercent = isNumeric ? percentChange(lastKnown, after) : null;
  return {
    watchlistId,
    itemId,
    field,
    before,
    after,
    at,
    runNumber,
    step,
    kind: kindOf({ field, before, after, delta }),
    lastKnown,
    delta,
    deltaPercent,
  };
}

/**
 * Returns the last number that a field had before it became null, if the given earlier point shows
 * the number. Returns null if the point shows that there was no number, and undefined if an even
 * earlier point must be checked.
 */
function numberBeforeGap(
  { status, values }: Pick<HistoryPoint, "status" | "values">,
  field: string,
): number | null | undefined {
  // Values from before a delisting do not count, as in routes.
  if (status === "not_found") return null;
  const change = values[field];
  if (change === undefined) return undefined;
  if (typeof change.after === "number") return change.after;
  if (typeof change.before === "number") return change.before;
  // The first value of the field was null: the item had no value when it was added, or added again.
  return change.before === undefined ? null : undefined;
}

/**
 * Reads, from the item's history, the last number that a field had before a change from null.
 * Returns null if the history since the item was added has no number of this field.
 * @param since start of the kept history, ISO 8601
 */
export async function lastNumberBefore(
  { watchlistId, itemId, field, at, runNumber, step }: FoundChange,
  since: string,
  history: Pick<HistoryStore, "item">,
): Promise<number | null> {
  const points = await history.item({ watchlistId, itemId, since, until: at });
  const own = points.findLastIndex((one) => one.runNumber === runNumber && one.step === step);
  return lastNumberIn(points.slice(0, Math.max(0, own)), field);
}

/**
 * Returns the last number of a field in the points of an item that precede a change from null.
 * Returns null if the points since the item was added have no number of this field.
 * @param points oldest first
 */
export function lastNumberIn(
  points: readonly Pick<HistoryPoint, "status" | "values">[],
  field: string,
): number | null {
  for (const point of points.toReversed()) {
    const number = numberBeforeGap(point, field);
    if (number !== undefined) return number;
  }
  return null;
}

/**
 * The changes from null to a value for which the last value before the null was not found yet. They
 * belong to one watchlist, and are grouped by item ID.
 */
export type OpenGaps = Map<string, FieldChange[]>;

/**
 * Searches the points of one run for the last known values before changes from null. Call it once
 * for each run, newest run first. `gaps` contains the changes of later runs whose last known value
 * is not found yet. If this run shows that value, or shows that there is none, removes the change
 * from `gaps`. Adds the run's own changes whose last known value is not found yet.
 * @param points the points of this run
 * @param returned the changes of this run that go from null to a number
 * @returns the changes for which the search has ended, compared with their last known value; with
 * null if there is none
 */
export function closeGaps(
  gaps: OpenGaps,
  points: readonly HistoryPoint[],
  returned: readonly FieldChange[],
): readonly FieldChange[] {
  if (gaps.size === 0 && returned.length === 0) return [];
  const returnsOf = Map.groupBy(returned, ({ itemId }) => itemId);
  const compared: FieldChange[] = [];
  // Goes from the last step to the first, because a step can lose a value that a later step of the
  // run reads again.
  for (const point of points.toReversed()) {
    const own = returnsOf.get(point.id)?.filter(({ step }) => step === point.step) ?? [];
    const later = gaps.get(point.id) ?? [];
    if (own.length === 0 && later.length === 0) continue;
    const open = later.filter((change) => {
      const number = numberBeforeGap(point, change.field);
      if (number !== undefined) compared.push(comparedWith(change, number));
      return number === undefined;
    });
    gaps.set(point.id, [...open, ...own]);
  }
  return compared;
}
