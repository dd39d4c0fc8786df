import type { FieldValue } from "../scrapers/catalog.ts";
import type { HistoryPoint, ItemPoint, ObservedChange, PointLine, PointStatus } from "./history.ts";

/** A history point as it is stored in JSON. */
type StoredPoint = readonly [
  atMs: number,
  step: string,
  status: PointStatus,
  values?: Readonly<Record<string, StoredChange>>,
];
/** `[after]`, or `[before, after]` if a value was known before the change. */
type StoredChange = readonly [FieldValue] | readonly [FieldValue, FieldValue];

/** Returns the line that stores a history point in the segment of its run. */
export function pointLine({ id, at, step, status, values }: HistoryPoint): PointLine {
  const changes: Record<string, StoredChange> = {};
  let isEmpty = true;
  for (const field in values) {
    const change = values[field];
    if (change === undefined) continue;
    isEmpty = false;
    const { before, after } = change;
    changes[field] = before === undefined ? [after] : [before, after];
  }
  const head = [Date.parse(at), step, status] as const;
  const stored: StoredPoint = isEmpty ? head : [...head, changes];
  return `${id}\t${JSON.stringify(stored)}`;
}

/** Returns the item ID in a line of a segment or of a merged row. */
export const itemIdOf = (line: PointLine): string => line.slice(0, line.indexOf("\t"));

/**
 * Parses a line of a run's segment to a history point. For lines of merged rows, use
 * `mergedPointOf`.
 */
export function pointOf(line: PointLine): HistoryPoint {
  const tab = line.indexOf("\t");
  return { id: line.slice(0, tab), ...storedPointOf(line.slice(tab + 1)) };
}

/**
 * Returns the line that stores a history point in a merged row: the line that stores it in the
 * segment, with the run number added.
 */
export function mergedLine(line: PointLine, runNumber: number): string {
  const tab = line.indexOf("\t");
  return `${line.slice(0, tab)}\t${runNumber}${line.slice(tab)}`;
}

/** Parses a line of a merged row to a point with its run number. */
export function mergedPointOf(line: string): ItemPoint {
  const [, runNumber, stored = ""] = line.split("\t");
  return { runNumber: Number(runNumber), ...storedPointOf(stored) };
}

function storedPointOf(json: string): Omit<HistoryPoint, "id"> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes these lines
  const [atMs, step, status, values] = JSON.parse(json) as StoredPoint;
  return {
    at: isoTimeOf(atMs),
    step,
    status,
    values: values === undefined ? {} : changesOf(values),
  };
}

let lastTime = { ms: 0, iso: new Date(0).toISOString() };

/**
 * Converts milliseconds since 1970 to an ISO 8601 time. Caches the last result, because successive
 * points often have the same time and a comparison is faster than a conversion.
 */
function isoTimeOf(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, iso: new Date(ms).toISOString() };
  return lastTime.iso;
}

function changesOf(stored: NonNullable<StoredPoint[3]>): Record<string, ObservedChange> {
  const changes: Record<string, ObservedChange> = {};
  for (const [field, change] of Object.entries(stored)) {
    changes[field] =
      change.length === 1 ? { after: change[0] } : { before: change[0], after: change[1] };
  }
  return changes;
}
