import type { Scope } from "./scopes.ts";

/** An API key without its secret. Times are ISO 8601 UTC. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  /** Time of the last admitted call; null before the first call. */
  readonly lastUsedAt: string | null;
}

/** Lists and revokes API keys. */
export interface ApiKeyStore {
  /** Lists the active keys of an account, oldest first. */
  list(accountId: string): Promise<readonly ApiKey[]>;
  /** Revokes a key permanently. Returns false if the account has no such active key. */
  revoke(accountId: string, keyId: string, now: Date): Promise<boolean>;
}
