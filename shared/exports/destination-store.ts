import type { Destination } from "./destination.ts";

/** The outcome of an attempt, from which `status` and `last_error` derive. */
export type DestinationReport =
  | { readonly outcome: "exported"; readonly at: Date }
  /** A test succeeded. */
  | { readonly outcome: "usable" }
  /** A test failed, which does not count as a failed attempt. */
  | { readonly outcome: "unusable"; readonly error: string }
  /** An attempt to export a run failed. */
  | { readonly outcome: "failed"; readonly error: string };

/**
 * Stores the S3 destination of an account. Writes are conditional on the revision that was read, so
 * that concurrent changes do not overwrite each other.
 */
export interface DestinationStore {
  get(accountId: string): Promise<Destination | null>;
  /** Stores the whole destination; false if the stored revision is not `replaces` (null: none). */
  put(accountId: string, destination: Destination, replaces: string | null): Promise<boolean>;
  /**
   * Stores the settings and keeps the reported outcomes, which `checked` resets. Returns the stored
   * destination; null if it was deleted or has another revision.
   */
  change(
    accountId: string,
    destination: Destination,
    from: { readonly revision: string; readonly checked: boolean },
  ): Promise<Destination | null>;
  /** Deletes the destination; false if there is none. */
  delete(accountId: string): Promise<boolean>;
  /** Stores an outcome. No effect if the destination was deleted or has another revision. */
  report(accountId: string, revision: string, report: DestinationReport): Promise<void>;
}
