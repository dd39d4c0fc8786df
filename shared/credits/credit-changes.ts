/** A change of an account's credits by an operator or a purchase. */
export interface CreditChange {
  readonly accountId: string;
  /** Idempotency ID, chosen by the caller: the balance changes once. */
  readonly changeId: string;
  readonly type: "grant" | "purchase" | "adjust";
  /** Whole credits to add. Negative only for an adjustment. */
  readonly credits: number;
  readonly now: Date;
}

export type ChangeOutcome =
  | {
      readonly outcome: "changed";
      readonly balance: number;
      /** Credits ever bought plus the signup grant, after the change. */
      readonly lifetime: number;
    }
  | { readonly outcome: "insufficient"; readonly balance: number }
  /** The ID was used for a change of another type or amount. */
  | { readonly outcome: "id_reused" }
  | { readonly outcome: "unknown_account" };

/**
 * Stores grants, purchases and adjustments as ledger entries. A purchase increases the lifetime
 * credits and so the concurrency. Neither ever decreases.
 */
export interface CreditChanges {
  /** Applies the change once. A repeat returns the result of the first call. */
  apply(change: CreditChange): Promise<ChangeOutcome>;
}
