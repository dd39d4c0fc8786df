import type { ReadStatus } from "../scrapers/scraper.ts";
import type { ScraperId, Snapshot } from "../scrapers/catalogue.ts";
import type { FieldChanges } from "../pipelines/compare.ts";

export type ItemState = "new" | "active" | "delisted";

/** The last change found on an item, with where it was found. */
export interface LastChange {
  readonly changedAt: string;
  readonly runId: string;
  readonly runNumber: number;
  readonly step: string;
  readonly scraper: ScraperId;
  readonly changes: FieldChanges;
}

/** An item of a list as stored in its page. */
export interface Item {
  readonly id: string;
  readonly state: ItemState;
  readonly addedAt: string;
  readonly firstReadAt: string | null;
  readonly lastReadStatus: ReadStatus | null;
  readonly consecutiveFailures: number;
  readonly snapshot: Snapshot | null;
  readonly snapshotAt: string | null;
  readonly lastChange: LastChange | null;
  readonly delistedAt: string | null;
  /** The last run whose result was written here: an older result arriving late is not applied. */
  readonly revision: number;
}

export const newItem = (id: string, addedAt: string): Item => ({
  id,
  state: "new",
  addedAt,
  firstReadAt: null,
  lastReadStatus: null,
  consecutiveFailures: 0,
  snapshot: null,
  snapshotAt: null,
  lastChange: null,
  delistedAt: null,
  revision: 0,
});
