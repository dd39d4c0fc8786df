import type { Entry } from "./outbox.ts";

/** The writes that result from work on one outbox entry, stored in one transaction. At most 90 rows. */
export interface Change<LogRecord> {
  /** The entry, if its work under this key and due time is complete. */
  readonly removed?: Entry;
  readonly added?: readonly Entry[];
  readonly records?: readonly LogRecord[];
}
