import type { SmallArchive } from "../events/event-archive.ts";
import type { FeedRun } from "../events/event-feed.ts";
import type { ExportRecord } from "../exports/export-record.ts";
import type { DeliveryTarget, OutboxEntry } from "../outbox/outbox.ts";

/** The rows that the publication of a finished run stores. */
export interface Publication {
  readonly accountId: string;
  readonly run: FeedRun;
  /** The archive of the run's events; null if the archive is already stored as objects. */
  readonly small: SmallArchive | null;
  /** One entry for the outbox of each delivery target of the run. */
  readonly additions: readonly { readonly target: DeliveryTarget; readonly entry: OutboxEntry }[];
  /** The export of the run before its first attempt; null if the account exports no runs. */
  readonly exported: ExportRecord | null;
}

/**
 * The position of the newest run of an account in the feed; sequence 0 for an empty feed. Pass it
 * unchanged from `position` to `add`.
 */
export interface FeedPosition {
  /** Number of the run in the feed. */
  readonly sequence: number;
  /** Time at which the run was added to the feed, ISO 8601; empty for an empty feed. */
  readonly appendedAt: string;
}

/** Stores the publications of finished runs. */
export interface Publications {
  /**
   * Reads the position of the feed, for `add`. If another run is added before the call of `add`,
   * `add` needs a second transaction.
   */
  position(accountId: string): Promise<FeedPosition>;
  /**
   * Adds a run to the feed, its archive, its export and its outbox entries, all in one transaction.
   * Idempotent: if the feed already has the run, completes its publication without adding the run
   * again.
   * @throws 503 UNAVAILABLE if rows stay contended or throttled
   */
  add(publication: Publication, position: FeedPosition): Promise<void>;
}
