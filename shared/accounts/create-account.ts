import type { RandomSource, Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { limits } from "../base/limits.ts";
import type { Account } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import type { ApiKey } from "./api-key-store.ts";
import { apiKeyPrefix, hashApiKey, newApiKey } from "./api-key.ts";
import { scopes as everyScope, type Scope } from "./scopes.ts";

export interface AccountDependencies {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** The data of an account to create. */
export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly demo?: boolean;
  /** Credits granted at signup. @default 5,000 (specification, section "Limits") */
  readonly signupCredits?: number;
}

/**
 * Creates an account with its signup grant, but without an API key. Each call creates another
 * account.
 * @param account.demo True for an account of the demo workspace.
 * @param account.signupCredits The credits of the signup grant.
 */
export async function createAccount(
  { name, email, demo = false, signupCredits = limits.signupCredits }: NewAccount,
  { accounts, clock, random }: AccountDependencies,
): Promise<Account> {
  const now = clock.now();
  const account: Account = {
    id: newId("account", now, random),
    name,
    email,
    demo,
    balance: signupCredits,
    held: 0,
    spent: 0,
    lifetime: signupCredits,
    inFlight: 0,
    autoTopUp: null,
    dailyCreditBudget: null,
    createdAt: now.toISOString(),
  };
  await accounts.create(account);
  return account;
}

/**
 * Creates an API key. The returned `key` is not stored, so it cannot be shown again.
 * @throws 409 CONFLICT if the account has the maximum number of keys; 503 UNAVAILABLE if a
 * concurrent request changes the keys of the account
 */
export async function createApiKey(
  newKey: {
    readonly account: Pick<Account, "id" | "demo">;
    readonly name: string;
    /** The scopes of the new key. @default every scope */
    readonly scopes?: readonly Scope[];
  },
  { accounts, clock, random }: AccountDependencies,
): Promise<ApiKey & { readonly key: string }> {
  const { account, name, scopes = everyScope } = newKey;
  const now = clock.now();
  const key = newApiKey(account.demo, random);
  const shown = {
    id: newId("apiKey", now, random),
    name,
    prefix: apiKeyPrefix(key),
    scopes,
    createdAt: now.toISOString(),
  };
  await accounts.addKey({
    ...shown,
    accountId: account.id,
    hash: hashApiKey(key),
    demo: account.demo,
  });
  return { ...shown, lastUsedAt: null, key };
}
