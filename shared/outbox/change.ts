import type { Entry } from "./outbox.ts";

/** What came of working on an entry. Up to 90 rows; they are kept together. */
export interface Change<LogRecord> {
  /** The entry, when nothing is left to do about it under this key and due time. */
  readonly removed?: Entry;
  readonly added?: readonly Entry[];
  readonly records?: readonly LogRecord[];
}
