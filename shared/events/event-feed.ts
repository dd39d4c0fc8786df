import type { EventType } from "./event.ts";

/** A run to add to the feed. The archive contains its events. */
export interface FeedRun {
  readonly runId: string;
  readonly watchlistId: string;
  /**
   * ID of the watchlist's webhook endpoint; null if all subscribed endpoints receive the events.
   */
  readonly webhookEndpointId: string | null;
  /** Time at which the run ended (ISO 8601), which is also the creation time of its events. */
  readonly createdAt: string;
  /** The event types of the run, without duplicates. */
  readonly types: readonly EventType[];
}

/** A run in the feed. `sequence` is its number in the account's feed, from 1 without gaps. */
export interface FeedEntry extends FeedRun {
  readonly sequence: number;
}

/** Stores the runs of each account in the order of their publication, for 30 days. */
export interface EventFeed {
  /**
   * Adds a run with the next number, unless the feed already has the run. Later runs always get
   * higher numbers, so a reader that continues after a number misses no run.
   * @throws 503 UNAVAILABLE after too many conflicts with concurrent additions
   */
  append(accountId: string, run: FeedRun): Promise<void>;
  /** Lists the first `limit` runs with a sequence number above `sequence`, in ascending order. */
  after(accountId: string, sequence: number, limit: number): Promise<readonly FeedEntry[]>;
  /**
   * Returns a sequence number from which `after` lists every run that ended at or after `since`
   * (ISO time). `after` may then also list runs that ended before `since`, because runs are not
   * always published in the order of their ends. Returns 0 if the oldest run must be included.
   */
  before(accountId: string, since: string): Promise<number>;
  /**
   * Lists up to `limit` runs that ended from `since` to `until` (ISO times, inclusive), in the
   * order in which they ended. `after` is the last run of the previous page; null for the first
   * page.
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
