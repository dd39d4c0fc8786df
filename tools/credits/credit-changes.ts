/** A change of an account's credits by an operator or a purchase. */
export interface CreditChange {
  readonly accountId: string;
  /**
   * Idempotency ID, chosen by the caller. Several calls with the same ID change the balance once.
   */
  readonly changeId: string;
  readonly type: "grant" | "purchase" | "adjust";
  /** Whole credits to add. Only an adjustment may be negative. */
  readonly credits: number;
  readonly now: Date;
}

/** The result of a credit change. After `changed`, the change is stored; otherwise it is not. */
export type ChangeOutcome =
  | {
      readonly outcome: "changed";
      readonly balance: number;
      /** Lifetime credits after the change: all credits ever bought plus the signup grant. */
      readonly lifetime: number;
    }
  | { readonly outcome: "insufficient"; readonly balance: number }
  /** The change ID was already used for a change of another type or amount. */
  | { readonly outcome: "id_reused" }
  | { readonly outcome: "unknown_account" };

/**
 * Stores grants, purchases and adjustments as ledger entries. A purchase increases the lifetime
 * credits, which determine the concurrency limit. Lifetime credits never decrease.
 */
export interface CreditChanges {
  /** Applies the change once. After `changed`, a repeated call returns the result of that call. */
  apply(change: CreditChange): Promise<ChangeOutcome>;
}
