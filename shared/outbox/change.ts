import type { OutboxEntry } from "./outbox.ts";

/** The writes that result from work on one outbox entry, stored in one transaction. At most 90 rows. */
export interface OutboxChange<LogRecord> {
  /** The entry, if its work under this key and due time is complete. */
  readonly removed?: OutboxEntry;
  readonly added?: readonly OutboxEntry[];
  readonly records?: readonly LogRecord[];
}
