import type { EventType } from "./event.ts";

/** A run to add to the feed. The archive has its events. */
export interface FeedRun {
  readonly runId: string;
  readonly watchlistId: string;
  /** ID of the watchlist's webhook endpoint; null: every subscribed endpoint. */
  readonly webhookEndpointId: string | null;
  /** Creation time of the events, ISO 8601. */
  readonly createdAt: string;
  /** The event types of the run, without duplicates. */
  readonly types: readonly EventType[];
}

/** A run in the feed. `sequence`: its number in the account's feed, from 1 without gaps. */
export interface FeedEntry extends FeedRun {
  readonly sequence: number;
}

/** Stores the runs of an account in the order of publication, for 30 days. */
export interface EventFeed {
  /**
   * Adds a run with the next number, unless the feed has it. Later runs always have higher numbers, so
   * a reader that continues after a number misses nothing.
   * @throws 503 UNAVAILABLE after too many conflicts with concurrent additions.
   */
  append(accountId: string, run: FeedRun): Promise<void>;
  /** Lists runs with a number above `sequence`, in order. */
  after(accountId: string, sequence: number, limit: number): Promise<readonly FeedEntry[]>;
  /**
   * The highest number below all runs that ended at `since` (ISO time) or later; 0 if there is none.
   * Runs above it may have ended earlier, because publication does not follow the order of ends.
   */
  before(accountId: string, since: string): Promise<number>;
  /**
   * Lists runs that ended from `since` to `until` (ISO times, inclusive), in the order of their ends.
   * `after`: the last run of the previous page.
   */
  between(
    accountId: string,
    range: {
      readonly since: string;
      readonly until: string;
      readonly after: Pick<FeedRun, "createdAt" | "runId"> | null;
      readonly limit: number;
    },
  ): Promise<readonly FeedEntry[]>;
}
