import type { ExportRecord } from "./export-record.ts";

export interface ExportPage {
  readonly exports: readonly ExportRecord[];
  /**
   * ID of the last entry that was read; null on the last page. A page may have fewer entries than
   * `limit`.
   */
  readonly lastId: string | null;
}

export interface ExportQuery {
  readonly limit: number;
  readonly before: string | null;
  readonly state: ExportRecord["state"] | null;
  /** Selects only exports of this watchlist. */
  readonly watchlistId?: string | null;
  /** Selects only exports of runs that ended at this ISO time or later. */
  readonly since?: string | null;
}

/** Stores the export log: the exports of an account by ID, for 30 days. */
export interface ExportStore {
  get(accountId: string, id: string): Promise<ExportRecord | null>;
  /**
   * Lists the matching exports whose ID sorts before `before` (null: all), newest first. Reads a
   * limited number of rows, so a page may end before it is full.
   */
  list(accountId: string, query: ExportQuery): Promise<ExportPage>;
}
