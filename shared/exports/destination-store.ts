import type { Destination } from "./destination.ts";

/** The outcome of using a destination, as its `status` and `last_error` show it. */
export type DestinationReport =
  | { readonly outcome: "exported"; readonly at: Date }
  /** A test succeeded. */
  | { readonly outcome: "usable" }
  /** A test failed: that does not count as a failed attempt. */
  | { readonly outcome: "unusable"; readonly error: string }
  /** An attempt to export a run failed. */
  | { readonly outcome: "failed"; readonly error: string };

/**
 * The one S3 destination of an account. Settings change only from the revision that the change was
 * made of, so that no two changes at once lose each other's fields.
 */
export interface DestinationStore {
  get(accountId: string): Promise<Destination | null>;
  /** Keeps the destination whole; false when another than that revision (null: none) is there. */
  put(accountId: string, destination: Destination, replaces: string | null): Promise<boolean>;
  /**
   * Keeps the settings, and what was reported of the destination as it is; `checked` clears its
   * failure. The destination as it is now; null when another revision is there, or none.
   */
  change(
    accountId: string,
    destination: Destination,
    from: { readonly revision: string; readonly checked: boolean },
  ): Promise<Destination | null>;
  /** False when there was none. */
  delete(accountId: string): Promise<boolean>;
  /** Notes what came of using it; without effect when another revision is there, or none. */
  report(accountId: string, revision: string, report: DestinationReport): Promise<void>;
}
