import type { EventType } from "./event.ts";

/** An event as the feed lists it; the body is in the archive. */
interface FeedEntry {
  readonly eventId: string;
  readonly type: EventType;
  readonly createdAt: string;
  readonly watchlistId: string;
  readonly runId: string;
  /** Place in the run's delivery order, from 0. */
  readonly position: number;
}

/** The account's events by time, kept for 30 days. */
export interface EventFeed {
  /** Adds entries; an entry that is there already stays as it is. */
  append(accountId: string, entries: readonly FeedEntry[]): Promise<void>;
}
