import type { Account } from "./account.ts";
import type { RateDecision, Refusal } from "./rate-window.ts";

/** The account and key of a call. */
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
      /** True if only this process counted the call, because the store failed. */
      readonly countedHere?: true;
    }
  | ({
      readonly outcome: "limited";
      /** True if the store throttled the key's row. */
      readonly throttled?: true;
    } & Refusal)
  | { readonly outcome: "unknown" }
  /** The store failed, and this process has not cached the key. */
  | { readonly outcome: "unreadable"; readonly rate: RateDecision; readonly error: unknown };

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
   * A revoked key is unknown. While the store throttles the key's row, its calls are limited. While the
   * store fails for another reason, this process counts the calls of each key itself, at the same rate.
   * It admits only keys that it can read or has read within the last minutes.
   */
  admit(keyHash: string, now: Date): Promise<Admission>;
  /** Creates the account with its first grant in one transaction. */
  create(account: Account): Promise<void>;
  get(accountId: string): Promise<Account | undefined>;
  /** @throws 409 CONFLICT if the account has the maximum number of keys */
  addKey(key: NewKey): Promise<void>;
}
