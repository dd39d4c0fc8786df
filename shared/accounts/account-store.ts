import type { Account } from "./account.ts";
import type { Scope } from "./scopes.ts";
import type { RateDecision, Refusal } from "./rate-window.ts";

/** An API key without its secret: its account, ID, name, first characters and scopes. */
export interface KeyOwner {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly keyPrefix: string;
  /** True if the account is the demo workspace. */
  readonly demo: boolean;
  readonly scopes: readonly Scope[];
}

/**
 * Whether a call with an API key is admitted.
 * - `admitted`: the call is counted.
 * - `limited`: the key has reached its rate, or its row is throttled. The call is not counted.
 * - `unknown`: no active key has this hash.
 */
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

/** An API key to store. */
export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The first characters of the key, which clients see. */
  readonly prefix: string;
  /** SHA-256 of the key (see `hashApiKey`). */
  readonly hash: string;
  readonly demo: boolean;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
}

/** An account and its use of a UTC day. */
export interface AccountWithUsage {
  readonly account: Account;
  /** Credits that were charged on the day. */
  readonly creditsCharged: number;
}

/** Stores accounts and API keys, and admits calls. */
export interface AccountStore {
  /**
   * Looks a key up by its hash, and counts the call against the key's rate, in one conditional
   * write. An unknown or revoked key has the outcome `unknown`. While the store throttles the key's
   * row, calls with the key are `limited`. If the store fails for another reason, this process
   * counts only the calls that it receives, and applies the same rate to them. It then admits a key
   * only if it can still read the key's row or has read the row in the last few minutes. Other keys
   * have the outcome `unreadable`.
   */
  admit(keyHash: string, now: Date): Promise<Admission>;
  /** Creates an account and its signup grant in one transaction. */
  create(account: Account): Promise<void>;
  /** Reads an account; undefined if it does not exist. */
  get(accountId: string): Promise<Account | undefined>;
  /**
   * Reads an account and the credits that it was charged on a UTC day. Returns undefined if the
   * account does not exist.
   * @param date the day, as `YYYY-MM-DD`
   * @throws 503 UNAVAILABLE if credits keep moving, or records keep being copied, during each read
   */
  getWithUsage(accountId: string, date: string): Promise<AccountWithUsage | undefined>;
  /**
   * Stores a new key.
   * @throws 409 CONFLICT if the account has the maximum number of keys; 503 UNAVAILABLE if other
   * requests contend for its rows
   */
  addKey(key: NewKey): Promise<void>;
}
