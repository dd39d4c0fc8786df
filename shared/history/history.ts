import type { FieldValue } from "../scrapers/catalog.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";

/** A change of a field, as a read observed it. */
export interface ObservedChange {
  /** Last known value before the read; absent if no value was known. */
  readonly before?: FieldValue;
  readonly after: FieldValue;
}

/** The changes that one read of an item observed, by field. */
export type ObservedChanges = Readonly<Record<string, ObservedChange>>;

/**
 * `deferred`: not read, because the credits did not cover the step, or because the run ended before
 * the step. `skipped`: not read, because the item has no known offer to check.
 */
export type PointStatus = ReadStatus | "deferred" | "skipped";

/**
 * A history point: what one step of a run observed of an item. An `ok` read that observed no change
 * has no point.
 */
export interface HistoryPoint {
  /** ID of the item. */
  readonly id: string;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  /** ID of the step. */
  readonly step: string;
  readonly status: PointStatus;
  /** The changes that the read observed; empty unless the status is `ok`. */
  readonly values: ObservedChanges;
}

/**
 * A history point as one stored line: the item's ID, a tab, and JSON. A reader can find the points
 * of one item without parsing other points, and points are recorded and merged without parsing.
 * Item IDs and the JSON contain no tabs and no line breaks.
 */
export type PointLine = string;

/** The history points of one run. */
export interface RunSegment {
  readonly runNumber: number;
  /** Time at which the run ended, ISO 8601. */
  readonly endedAt: string;
  /** Sorted by item ID, then in step order. */
  readonly points: readonly HistoryPoint[];
}

/** The points of a run for the store: parsed, or as stored lines. */
export interface RecordedSegment extends Omit<RunSegment, "points"> {
  /**
   * Sorted by item ID, then in step order. The groups of a large run are read one after the other.
   */
  readonly points: readonly HistoryPoint[] | AsyncIterable<readonly PointLine[]>;
}

/** A history point without its item ID, in a list of points of one item. */
export interface ItemPoint extends Omit<HistoryPoint, "id"> {
  readonly runNumber: number;
}

/** A time span, ISO 8601, inclusive. */
export interface HistorySpan {
  readonly since: string;
  readonly until: string;
}

/** Returns true if the time of a history point is in a span, both ends included. */
export const isWithin = (
  { since, until }: HistorySpan,
  { at }: Pick<HistoryPoint, "at">,
): boolean => at >= since && at <= until;
