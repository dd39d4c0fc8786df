import type { OutboxEntry } from "./outbox.ts";

/**
 * Writes that result from work on one outbox entry. They are stored in one transaction. At most 90
 * rows.
 */
export interface OutboxChange<LogRecord> {
  /** The entry, if the work on this entry is complete. */
  readonly removed?: OutboxEntry;
  readonly added?: readonly OutboxEntry[];
  readonly records?: readonly LogRecord[];
}
