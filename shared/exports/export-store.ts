import type { ExportRecord } from "./export-record.ts";

export interface ExportPage {
  readonly exports: readonly ExportRecord[];
  /** Where the page ended; null when there are no more. A page may end before it is full. */
  readonly lastId: string | null;
}

export interface ExportsWanted {
  readonly limit: number;
  readonly before: string | null;
  readonly state: ExportRecord["state"] | null;
  /** Only exports of this watchlist. */
  readonly watchlistId?: string | null;
  /** Only exports of runs that ended at this ISO time or later. */
  readonly since?: string | null;
}

/** The export log: the exports of an account by id, kept for 30 days. */
export interface ExportStore {
  get(accountId: string, id: string): Promise<ExportRecord | null>;
  /** Newest first; `before` is exclusive. Looks at a bounded number of exports. */
  list(accountId: string, wanted: ExportsWanted): Promise<ExportPage>;
}
