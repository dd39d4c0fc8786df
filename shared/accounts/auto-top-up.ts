import type { PackId } from "./credit-packs.ts";

/** Setting of an account for automatic purchases of credit packs. */
export interface AutoTopUp {
  readonly enabled: boolean;
  /** The balance, in whole credits, below which a purchase is made. */
  readonly thresholdCredits: number;
  readonly packId: PackId;
}

/** Stores the automatic top-up of accounts. */
export interface AutoTopUpStore {
  /**
   * Sets the automatic top-up of an account; null removes it. Returns false if the account does not
   * exist.
   */
  setAutoTopUp(accountId: string, autoTopUp: AutoTopUp | null): Promise<boolean>;
}
