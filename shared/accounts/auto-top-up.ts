import type { PackId } from "./credit-packs.ts";

/** When the account wants to buy a pack by itself. */
export interface AutoTopUp {
  readonly enabled: boolean;
  /** Whole credits: below this balance. */
  readonly thresholdCredits: number;
  readonly packId: PackId;
}

export interface AutoTopUpStore {
  /** Sets or, with null, removes the account's wish; false when there is no such account. */
  setAutoTopUp(accountId: string, autoTopUp: AutoTopUp | null): Promise<boolean>;
}
