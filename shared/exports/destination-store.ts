import type { Destination } from "./destination.ts";

/**
 * Outcome of a test or of a failed export attempt. `status` and `last_error` are derived from it. A
 * `DestinationSuccess` reports an export that succeeded.
 */
export type DestinationReport =
  /** A test succeeded. */
  | { readonly outcome: "usable" }
  /** A test failed. It does not count as a failed attempt. */
  | { readonly outcome: "unusable"; readonly error: string }
  /** An attempt to export a run failed. */
  | { readonly outcome: "failed"; readonly error: string };

/**
 * Stores the S3 destination of each account. A write other than a deletion succeeds only if the
 * stored revision is the one that the caller read, so concurrent changes do not overwrite each
 * other.
 */
export interface DestinationStore {
  get(accountId: string): Promise<Destination | null>;
  /**
   * Stores the whole destination. Returns false, without writing, if the stored revision is not
   * `replaces`. If `replaces` is null, the account must not have a destination.
   */
  put(accountId: string, destination: Destination, replaces: string | null): Promise<boolean>;
  /**
   * Stores the settings of the destination. Keeps the outcomes that were reported, unless `checked`
   * is true. Returns the stored destination; null if it was deleted or has another revision.
   */
  change(
    accountId: string,
    destination: Destination,
    from: { readonly revision: string; readonly checked: boolean },
  ): Promise<Destination | null>;
  /** Deletes the destination. Returns false if there is none. */
  delete(accountId: string): Promise<boolean>;
  /**
   * Stores the outcome of a test or of a failed export attempt. Does nothing if the destination was
   * deleted or its revision is not `revision`.
   */
  report(accountId: string, revision: string, report: DestinationReport): Promise<void>;
}
