import type { SmallArchive } from "../events/event-archive.ts";
import type { FeedRun } from "../events/event-feed.ts";
import type { ExportRecord } from "../exports/export-record.ts";
import type { DeliveryTarget, OutboxEntry } from "../outbox/outbox.ts";

/** What the publication of a finished run stores, beside archived objects. */
export interface Publication {
  readonly accountId: string;
  readonly run: FeedRun;
  /** The archive of the run, if it is not stored as objects. */
  readonly small: SmallArchive | null;
  /** One entry for the outbox of each delivery target of the run. */
  readonly additions: readonly { readonly target: DeliveryTarget; readonly entry: OutboxEntry }[];
  /** The export of the run before its first attempt; null if the account exports no runs. */
  readonly exported: ExportRecord | null;
}

/** The newest run of an account in the feed. Only the store that returned it uses the value. */
export type FeedPosition = Readonly<Record<"sequence", number> & Record<"appendedAt", string>>;

/** Stores the publications of finished runs. */
export interface Publications {
  /** Reads the position that `add` needs. It may be outdated by then. */
  position(accountId: string): Promise<FeedPosition>;
  /**
   * Adds a run to the feed, its archive, its export and its outbox entries, all in one transaction.
   * Idempotent: if the feed already has the run, its publication is complete afterwards.
   * @throws 503 UNAVAILABLE after too many conflicts with concurrent publications
   */
  add(publication: Publication, position: FeedPosition): Promise<void>;
}
