import type { PackId } from "./credit-packs.ts";

/** Setting for automatic purchases of packs. */
export interface AutoTopUp {
  readonly enabled: boolean;
  /** Balance below which a pack is bought, in whole credits. */
  readonly thresholdCredits: number;
  readonly packId: PackId;
}

export interface AutoTopUpStore {
  /** Sets the account's setting; null removes it. False if the account does not exist. */
  setAutoTopUp(accountId: string, autoTopUp: AutoTopUp | null): Promise<boolean>;
}
