import type { FieldValue } from "../scrapers/catalog.ts";
import type { ChangeKind } from "./change-kinds.ts";

/** A change of one field of one item, as a read observed it. */
export interface FoundChange {
  readonly watchlistId: string;
  readonly itemId: string;
  /** A field of the item, or `delisted`. */
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  readonly runNumber: number;
  readonly step: string;
}

/** A change that was compared with the last known value. */
export interface FieldChange extends FoundChange {
  readonly kind: ChangeKind;
  /**
   * The last value before the change that was not null: `before`, or an earlier value if `before`
   * is null. Null if there is no such value. Like routes, lists of changes compare `after` with
   * this value.
   */
  readonly lastKnown: FieldValue;
  /** `after` minus `lastKnown`; null unless both are numbers. */
  readonly delta: number | null;
  /** `delta` in percent of `lastKnown`; null if `delta` is null or `lastKnown` is 0. */
  readonly deltaPercent: number | null;
}
