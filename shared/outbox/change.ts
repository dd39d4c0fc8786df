import type { OutboxEntry } from "./outbox.ts";

/**
 * The writes that result from the work on one outbox entry, at most 90 rows, which one transaction
 * stores.
 */
export interface OutboxChange<LogRecord> {
  /** The entry, if its work is complete. */
  readonly removed?: OutboxEntry;
  readonly added?: readonly OutboxEntry[];
  readonly records?: readonly LogRecord[];
}
