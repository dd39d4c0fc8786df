import { type ChangeKind, delistedField, isFieldOfKind } from "./change-kinds.ts";
import type { FieldChange, FoundChange } from "./field-change.ts";
import type { HistoryPoint, RunSegment } from "./history.ts";
import { comparedWith, isReturn } from "./last-known.ts";

/** The directions of a change by which lists of changes can be filtered. */
export const changeOps = ["increased", "decreased"] as const;

/** Selects the changes to list. An absent filter selects every change. */
export interface ChangeFilter {
  readonly kind?: ChangeKind | undefined;
  readonly field?: string | undefined;
  readonly op?: (typeof changeOps)[number] | undefined;
  /** Minimum size of the change, in either direction. */
  readonly minDelta?: number | undefined;
  /** Minimum size of the change in percent of the last known value, in either direction. */
  readonly minDeltaPercent?: number | undefined;
}

/** A recorded run and its watchlist. */
export interface ListedRun {
  readonly watchlistId: string;
  readonly segment: RunSegment;
}

/**
 * Returns the changes that a run observed, including delistings, in the order of the run's history
 * points. The first known value of a field is not a change. The last known value of a change from
 * null is null at first; the caller adds the value with `comparedWith`.
 */
export function changesIn({ watchlistId, segment }: ListedRun): readonly FieldChange[] {
  const { runNumber } = segment;
  let lastDelisted: string | undefined;
  return segment.points.flatMap((point) => {
    if (point.status !== "not_found") return fieldChanges(point, { watchlistId, runNumber });
    // Several steps of a run can report the same delisting. The points are sorted by item, so these
    // points follow each other.
    if (point.id === lastDelisted) return [];
    lastDelisted = point.id;
    const delisting = { field: delistedField, before: false, after: true };
    return [comparedWith({ ...delisting, ...placeOf(point), watchlistId, runNumber }, false)];
  });
}

/** Returns the changes of one point, without first values. */
function fieldChanges(
  { id: itemId, at, step, values }: HistoryPoint,
  { watchlistId, runNumber }: Pick<FoundChange, "runNumber" | "watchlistId">,
): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  for (const [field, { before, after }] of Object.entries(values)) {
    if (before === undefined) continue;
    const change = { watchlistId, itemId, field, before, after, at, runNumber, step };
    changes.push(comparedWith(change, before));
  }
  return changes;
}

const placeOf = ({ id, at, step }: HistoryPoint): Pick<FoundChange, "at" | "itemId" | "step"> => ({
  itemId: id,
  at,
  step,
});

/** Returns true if the filter accepts the field of a change, regardless of the values. */
export const isOfField = (
  { field }: Pick<FieldChange, "field">,
  { field: wanted, kind }: ChangeFilter,
): boolean =>
  (wanted === undefined || field === wanted) && (kind === undefined || isFieldOfKind(field, kind));

/**
 * Returns true if the last known value must be read before the filter can decide: the change is
 * from null to a number, and the filter accepts its field.
 */
export const needsLastKnown = (change: FieldChange, filter: ChangeFilter): boolean =>
  isReturn(change) && isOfField(change, filter);

/**
 * Returns true if a change, which must already be compared with its last known value, matches all
 * parts of the filter.
 */
export function isSelected(change: FieldChange, filter: ChangeFilter): boolean {
  const { delta, deltaPercent } = change;
  const { kind, op, minDelta, minDeltaPercent } = filter;
  if (!isOfField(change, filter)) return false;
  if (kind !== undefined && change.kind !== kind) return false;
  if (op === "increased" && (delta ?? 0) <= 0) return false;
  if (op === "decreased" && (delta ?? 0) >= 0) return false;
  return isAtLeast(delta, minDelta) && isAtLeast(deltaPercent, minDeltaPercent);
}

const isAtLeast = (size: number | null, min: number | undefined): boolean =>
  min === undefined || (size !== null && Math.abs(size) >= min);
