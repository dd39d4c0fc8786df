import type { Account } from "./account.ts";
import type { Scope } from "./scopes.ts";
import type { RateDecision, Refusal } from "./rate-window.ts";

/** An API key without its secret: its account, ID, name, first characters and scopes. */
export interface KeyOwner {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly keyPrefix: string;
  readonly demo: boolean;
  readonly scopes: readonly Scope[];
}

export type Admission =
  | {
      readonly outcome: "admitted";
      readonly owner: KeyOwner;
      readonly rate: RateDecision;
      /** True if the shared store failed and only this process has counted the call. */
      readonly countedHere?: true;
    }
  | ({
      readonly outcome: "limited";
      /** True if the store throttled the key's row. */
      readonly throttled?: true;
    } & Refusal)
  | { readonly outcome: "unknown" }
  /** The store failed, and this process has no recent cached copy of the key's row. */
  | { readonly outcome: "unreadable"; readonly rate: RateDecision; readonly error: unknown };

export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly demo: boolean;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
}

export interface AccountStore {
  /**
   * Looks a key up by its hash, and counts the call against the key's rate, in one conditional
   * write. An unknown or revoked key has the outcome `unknown`. While the store throttles the key's
   * row, calls with the key are `limited`. If the store fails for another reason, this process
   * counts the calls alone, at the same rate. It then admits a key only if it can still read the
   * key's row or has read the row in the last few minutes. Other keys have the outcome
   * `unreadable`.
   */
  admit(keyHash: string, now: Date): Promise<Admission>;
  /** Creates an account and its signup grant in one transaction. */
  create(account: Account): Promise<void>;
  get(accountId: string): Promise<Account | undefined>;
  /**
   * Stores a new key.
   * @throws 409 CONFLICT if the account has the maximum number of keys; 503 UNAVAILABLE if other
   * requests contend for its rows
   */
  addKey(key: NewKey): Promise<void>;
}
