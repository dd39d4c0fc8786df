/** A change of an account's credits that no call made. */
export interface CreditChange {
  readonly accountId: string;
  /** Chosen by the caller: the same id changes the balance once, however often it is asked for. */
  readonly changeId: string;
  readonly type: "grant" | "purchase" | "adjust";
  /** Whole credits to add; only an adjustment may take credits away. */
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
  /** The id has made a change of another type or amount before. */
  | { readonly outcome: "id_reused" }
  | { readonly outcome: "unknown_account" };

/**
 * Grants, purchases and adjustments: ledger transactions like those of calls, on the same sequence.
 * A purchase raises the lifetime credits and so the concurrency; nothing ever lowers either.
 */
export interface CreditChanges {
  /** Applies the change once; a repeat answers with what it did then. */
  apply(change: CreditChange): Promise<ChangeOutcome>;
}
