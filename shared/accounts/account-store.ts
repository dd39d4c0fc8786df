import type { Account } from "./account.ts";
import type { RateDecision } from "./rate-window.ts";

/** The key record behind a call. */
export interface KeyOwner {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly keyPrefix: string;
  readonly demo: boolean;
}

export type Admission =
  | { readonly outcome: "admitted"; readonly owner: KeyOwner; readonly rate: RateDecision }
  | { readonly outcome: "limited"; readonly rate: RateDecision }
  | { readonly outcome: "unknown" };

export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly demo: boolean;
  readonly createdAt: string;
}

export interface AccountStore {
  /**
   * Looks a key up by its hash and counts the call against its rate, in one conditional write.
   * A revoked key is unknown.
   */
  admit(keyHash: string, now: Date): Promise<Admission>;
  /** Creates the account with its first grant in one transaction. */
  create(account: Account): Promise<void>;
  get(accountId: string): Promise<Account | undefined>;
  addKey(key: NewKey): Promise<void>;
}
