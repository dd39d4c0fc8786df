/** A key as its owner sees it. Times are ISO 8601 UTC. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  /** Null for a key that made no call yet. */
  readonly lastUsedAt: string | null;
}

export interface ApiKeyStore {
  /** The account's keys that work, oldest first. */
  list(accountId: string): Promise<readonly ApiKey[]>;
  /** Ends a key for good, from the next call on; false when the account has no such key. */
  revoke(accountId: string, keyId: string, now: Date): Promise<boolean>;
}
