import type { EventType } from "./event.ts";

/** A run in the feed: its events stand in the archive. */
export interface FeedRun {
  readonly runId: string;
  readonly watchlistId: string;
  /** The endpoint that the list named; null: every endpoint subscribed to the event. */
  readonly webhookEndpointId: string | null;
  /** When the events happened; ISO time. */
  readonly createdAt: string;
  /** The types of its events, each once. */
  readonly types: readonly EventType[];
}

/** A run with its place in the account's feed: 1, 2, 3 and so on without gaps. */
export interface FeedEntry extends FeedRun {
  readonly sequence: number;
}

/** The account's runs in the order in which they were published, kept for 30 days. */
export interface EventFeed {
  /**
   * Adds a run with the next number, whole or not at all; one that is there already stays as it is.
   * Whoever has read up to a number will find everything that comes later behind it.
   * @throws 503 UNAVAILABLE when too many runs of the account are added at once.
   */
  append(accountId: string, run: FeedRun): Promise<void>;
  /** Runs numbered above `sequence`, in order. */
  after(accountId: string, sequence: number, limit: number): Promise<readonly FeedEntry[]>;
  /**
   * The highest number, or 0, above which every run stands that ended at `since`, an ISO time, or
   * later. Runs may end in another order than they are published in, so earlier ones stand there too.
   */
  before(accountId: string, since: string): Promise<number>;
  /**
   * Runs that ended from `since` to `until`, both ISO times and inclusive, by that time; `after` is
   * the last one of the page before.
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
