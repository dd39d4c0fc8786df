import type { OutboxEntry } from "./outbox.ts";

/**
 * Writes that result from work on one outbox entry, at most 90 rows. One transaction stores them.
 */
export interface OutboxChange<LogRecord> {
  /** The entry, if the work on this entry is complete. */
  readonly removed?: OutboxEntry;
  readonly added?: readonly OutboxEntry[];
  readonly records?: readonly LogRecord[];
}
