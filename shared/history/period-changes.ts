import { typeOfField } from "../scrapers/fields.ts";
import { delistedField } from "./change-kinds.ts";
import type { FoundChange } from "./field-change.ts";
import type { HistoryPoint, RunSegment } from "./history.ts";

/** The change of a field over a time span. */
export interface PeriodChange {
  /**
   * The change from the value before the span to the value at its end. Its time, run and step are
   * those of the last change in the span.
   */
  readonly change: FoundChange;
  /**
   * The first change of the span, if it is a change from null to a number. The last number before
   * the span is then only in earlier history.
   */
  readonly unknownBefore: FoundChange | undefined;
}

/**
 * The changes of a field that were added so far. They are added from the end of the span backwards,
 * so `last` stays the same and `first` is the change that was added last.
 */
interface OpenField {
  readonly last: FoundChange;
  first: FoundChange;
  /**
   * True if earlier changes of the field are ignored, because `first` has the field's first value
   * since the item was added or delisted.
   */
  isComplete: boolean;
}

/** The changes of an item that were added so far. */
interface OpenItem {
  readonly fields: Map<string, OpenField>;
  /** True if a delisting was added. Earlier changes of the item are then ignored. */
  isComplete: boolean;
}

/**
 * Creates a collector of the changes of one watchlist's items over a whole time span. Pass the runs
 * of the span to `add`, newest first. `changes` then returns at most one change for each item and
 * field:
 * - For a field with numbers, this is the change from the last number before the span to the number
 *   at the end of the span. If both numbers are equal, there is no change.
 * - For any other field, it is the last change in the span.
 * - The result also contains the delisting of an item, unless a later read in the span found the
 *   item.
 *
 * As in a route, an item is not compared with values from before its delisting. An item that was
 * added in the span is compared with its first values.
 */
export function periodChanges(watchlistId: string): {
  readonly add: (segment: RunSegment) => void;
  readonly changes: () => readonly PeriodChange[];
} {
  const items = new Map<string, OpenItem>();
  const delisted: FoundChange[] = [];
  const itemOf = (id: string): OpenItem => {
    const known = items.get(id) ?? { fields: new Map<string, OpenField>(), isComplete: false };
    items.set(id, known);
    return known;
  };
  const delist = (point: HistoryPoint, runNumber: number): void => {
    const item = itemOf(point.id);
    if (item.fields.size === 0 && !item.isComplete) {
      delisted.push({
        ...placeOf(point, { watchlistId, runNumber }),
        field: delistedField,
        before: false,
        after: true,
      });
    }
    item.isComplete = true;
  };
  return {
    add({ points, runNumber }) {
      // From the last step to the first: the steps of a run can change the same field.
      for (const point of points.toReversed()) {
        if (point.status === "not_found") delist(point, runNumber);
        else addValues(itemOf, point, { watchlistId, runNumber });
      }
    },
    changes: () => [
      ...delisted.map((change) => ({ change, unknownBefore: undefined })),
      ...[...items.values()].flatMap(({ fields }) => [...fields.values()].flatMap(changeOf)),
    ],
  };
}

/** Adds the changes of one point to the open fields of its item. */
function addValues(
  itemOf: (id: string) => OpenItem,
  point: HistoryPoint,
  run: Pick<FoundChange, "runNumber" | "watchlistId">,
): void {
  for (const [field, { before, after }] of Object.entries(point.values)) {
    const item = itemOf(point.id);
    if (item.isComplete) return;
    const open = item.fields.get(field);
    if (open?.isComplete === true) continue;
    if (before === undefined) {
      // The item was added in the span, so it is compared with its own first value.
      const first = { ...placeOf(point, run), field, before: after, after };
      item.fields.set(field, open ?? { last: first, first, isComplete: true });
      if (open !== undefined) open.isComplete = true;
      continue;
    }
    const found = { ...placeOf(point, run), field, before, after };
    if (open === undefined)
      item.fields.set(field, { last: found, first: found, isComplete: false });
    else open.first = found;
  }
}

const placeOf = (
  { id: itemId, at, step }: HistoryPoint,
  { watchlistId, runNumber }: Pick<FoundChange, "runNumber" | "watchlistId">,
) => ({ watchlistId, itemId, at, runNumber, step });

/** Returns the change of a field over the span; empty if the values at both ends are equal. */
function changeOf({ last, first, isComplete }: OpenField): readonly PeriodChange[] {
  const isOfNumbers = typeOfField(last.field) === "number";
  const change = isOfNumbers ? { ...last, before: first.before } : last;
  if (change.before === change.after) return [];
  const isUnknown = isOfNumbers && !isComplete && first.before === null;
  return [{ change, unknownBefore: isUnknown ? first : undefined }];
}
