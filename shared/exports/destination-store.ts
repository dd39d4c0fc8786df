import type { Destination } from "./destination.ts";

/** How the destination was found, as it shows it. */
export type DestinationReport =
  | { readonly outcome: "exported"; readonly at: Date }
  /** The check object was written and deleted. */
  | { readonly outcome: "usable" }
  | { readonly outcome: "failed"; readonly error: string; readonly givenUp: boolean };

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
