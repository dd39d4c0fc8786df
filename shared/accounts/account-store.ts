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
  | {
      readonly outcome: "admitted";
      readonly owner: KeyOwner;
      readonly rate: RateDecision;
      /** True for a call that was let through although it could not be counted. */
      readonly uncounted?: true;
    }
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
   * A revoked key is unknown. A call that cannot be counted because the database throttles is let
   * through uncounted: the ledger guards the money without the rate.
   * @throws 503 UNAVAILABLE when the database throttles and the key is not known here either.
   */
  admit(keyHash: string, now: Date): Promise<Admission>;
  /** Creates the account with its first grant in one transaction. */
  create(account: Account): Promise<void>;
  get(accountId: string): Promise<Account | undefined>;
  /** @throws 409 CONFLICT when the account has as many keys as it may have. */
  addKey(key: NewKey): Promise<void>;
}
