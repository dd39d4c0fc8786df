import type { FieldValue } from "../scrapers/catalogue.ts";

/** A change of one field of one item. */
export interface FieldChange {
  readonly watchlistId: string;
  readonly itemId: string;
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  /**
   * The last value that was not null: `before`, or the value before a gap. Null if there is none.
   * Changes are compared with it, as routes do.
   */
  readonly lastKnown: FieldValue;
  /** `after` minus `lastKnown`; null unless both are numbers. */
  readonly delta: number | null;
  /** `delta` in percent of `lastKnown`; null if `delta` is null or `lastKnown` is 0. */
  readonly deltaPercent: number | null;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  readonly runNumber: number;
  readonly step: string;
}
