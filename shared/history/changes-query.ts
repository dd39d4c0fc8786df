import type { FieldChange } from "./field-change.ts";
import type { HistoryStore } from "./history-store.ts";
import type { ChangeFilter } from "./run-changes.ts";
import type { ListedWatchlists } from "./runs-by-time.ts";

/** The sort orders of a list of changes (see `ChangesQuery.sort`). */
export const changeSorts = ["time", "size", "amount"] as const;

/** What the entries of a list of changes compare (see `ChangesQuery.compare`). */
export const comparisons = ["reads", "period"] as const;

/** Selects the changes to list, and their order. */
export interface ChangesQuery extends ChangeFilter, ListedWatchlists {
  /** Start of the kept history, ISO 8601. */
  readonly keptSince: string;
  /**
   * `time`: latest run first. `size`: largest change in percent first. `amount`: largest difference
   * first, in the unit of the field. Decreases and increases count alike.
   */
  readonly sort: (typeof changeSorts)[number];
  /**
   * `reads`: each change, from the value of the read before. `period`: one entry for each item and
   * field, from the value before the span to the value at its end.
   */
  readonly compare: (typeof comparisons)[number];
  readonly limit: number;
  /** The cursor `next` of the previous page; undefined for the first page. */
  readonly startingAfter: string | undefined;
}

/** A page of a list of changes. */
export interface ChangesPage {
  readonly changes: readonly FieldChange[];
  /** The cursor to send as `startingAfter` for the next page; null on the last page. */
  readonly next: string | null;
}

/** The methods of the history store that lists of changes use. */
export type Reader = Pick<HistoryStore, "item" | "runs" | "runsAt">;
