import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import type { AccountStore, NewKey } from "../../../../shared/accounts/account-store.ts";
import type { ApiKeyStore } from "../../../../shared/accounts/api-key-store.ts";
import { dynamoAccountStore } from "../../../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../../../shared/aws/accounts/api-key-store.ts";
import { newId } from "../../../../shared/base/ids.ts";
import { limits } from "../../../../shared/base/limits.ts";
import { countingRandom } from "../../../support/clock.ts";
import { watchedClient } from "../../../support/watched-client.ts";
import { openTables } from "../../../support/tables.ts";
import { scopes } from "../../../../shared/accounts/scopes.ts";
import keyBeforeScopes from "../../../fixtures/api-key-before-scopes.json" with { type: "json" };

const now = new Date("2026-11-20T10:00:00.000Z");
const random = countingRandom();

const tables = openTables();
let table: string;
let accounts: AccountStore;
let store: ApiKeyStore;
beforeEach(async () => {
  table = await tables.create();
  accounts = dynamoAccountStore(tables.client, { accounts: table });
  store = dynamoApiKeyStore(tables.client, table);
});

/** Returns the nth key, created n seconds after 10:00:00. */
function aKey(n: number, wanted: Partial<NewKey> = {}): NewKey {
  const createdAt = new Date(now.getTime() + n * 1_000);
  return {
    id: newId("apiKey", createdAt, random),
    accountId: "acct_1",
    name: `server ${n}`,
    prefix: `svc_live_${n}`,
    hash: String(n).padStart(64, "0"),
    demo: false,
    scopes,
    createdAt: createdAt.toISOString(),
    ...wanted,
  };
}
async function addKeys(keys: readonly NewKey[]): Promise<void> {
  for (const key of keys) await accounts.addKey(key);
}
const shown = (
  { id, name, prefix, createdAt, scopes: held }: NewKey,
  lastUsedAt: string | null = null,
) => ({
  id,
  name,
  prefix,
  scopes: held,
  createdAt,
  lastUsedAt,
});

describe("the store of API keys in DynamoDB", () => {
  it("lists only the keys of the given account, oldest first", async () => {
    const [first, second, third] = [aKey(1), aKey(2), aKey(3)];
    await addKeys([third, first, second, aKey(4, { accountId: "acct_2" })]);

    expect(await store.list("acct_1")).toEqual([shown(first), shown(second), shown(third)]);
    expect(await store.list("acct_3")).toEqual([]);
  });

  it("returns for each key the time of its last call", async () => {
    const [used, idle] = [aKey(1), aKey(2)];
    await addKeys([used, idle]);
    await accounts.admit(used.hash, new Date("2026-11-20T11:00:00.123Z"));

    expect(await store.list("acct_1")).toEqual([
      shown(used, "2026-11-20T11:00:00.123Z"),
      shown(idle),
    ]);
  });

  it("refuses a new key if the account has the maximum number of keys, and accepts it after a revocation", async () => {
    const keys = Array.from({ length: limits.apiKeysMax }, (_, n) => aKey(n));
    await addKeys(keys);
    const oneMore = aKey(99);

    await expect(accounts.addKey(oneMore)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await store.list("acct_1")).toHaveLength(limits.apiKeysMax);
    expect(await accounts.admit(oneMore.hash, now)).toEqual({ outcome: "unknown" });
    await accounts.addKey(aKey(100, { accountId: "acct_2" }));

    expect(await store.revoke("acct_1", keys[0]?.id ?? "", now)).toBe(true);
    await accounts.addKey(oneMore);
    expect((await store.list("acct_1")).at(-1)).toEqual(shown(oneMore));
  });

  it("returns the scopes of a key when the key authenticates a call, and in the list of keys", async () => {
    const key = aKey(1, { scopes: ["read"] });
    await addKeys([key]);

    expect(await accounts.admit(key.hash, now)).toMatchObject({ owner: { scopes: ["read"] } });
    expect(await store.list("acct_1")).toMatchObject([{ scopes: ["read"] }]);
  });

  it("returns every scope for a key that was stored before scopes existed", async () => {
    const { hash, listing } = keyBeforeScopes;
    for (const Item of [hash, listing]) {
      await tables.client.send(new PutCommand({ TableName: table, Item }));
    }

    expect(await store.list("acct_1")).toMatchObject([
      { id: listing.key_id, scopes: ["read", "spend", "write"] },
    ]);
    expect(await accounts.admit(listing.hash, now)).toMatchObject({
      outcome: "admitted",
      owner: { keyId: listing.key_id, scopes: ["read", "spend", "write"] },
    });
  });

  it("stores a key that has every scope with the same attributes as a key from before scopes existed", async () => {
    const { listing } = keyBeforeScopes;
    await addKeys([
      aKey(1, {
        id: listing.key_id,
        hash: listing.hash,
        prefix: listing.prefix,
        name: listing.name,
      }),
    ]);
    for (const row of [keyBeforeScopes.hash, keyBeforeScopes.listing]) {
      const { pk, sk } = row;
      const { Item = {} } = await tables.client.send(
        new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: true }),
      );
      expect(Object.keys(Item).toSorted()).toEqual(Object.keys(row).toSorted());
    }
  });

  it("revokes a key for its own account only, and returns false if the key is already revoked", async () => {
    const key = aKey(1);
    await addKeys([key]);

    expect(await store.revoke("acct_2", key.id, now)).toBe(false);
    expect(await accounts.admit(key.hash, now)).toMatchObject({ outcome: "admitted" });
    expect(await store.revoke("acct_1", key.id, now)).toBe(true);
    expect(await store.revoke("acct_1", key.id, now)).toBe(false);
    expect(await store.list("acct_1")).toEqual([]);
    expect(await accounts.admit(key.hash, now)).toEqual({ outcome: "unknown" });
  });

  it("refuses to store a key whose hash is already stored for another key", async () => {
    const key = aKey(1);
    await addKeys([key]);

    await expect(accounts.addKey(aKey(2, { hash: key.hash }))).rejects.toThrow("Transaction");
    expect(await store.list("acct_1")).toEqual([shown(key)]);
  });

  it("throws UNAVAILABLE if other writes prevent a revocation, with the account and DynamoDB's codes as its cause", async () => {
    await addKeys([aKey(1)]);
    const busy = watchedClient(tables.client, (command, send) => {
      if (!(command instanceof TransactWriteCommand)) return send();
      throw new TransactionCanceledException({
        message: "busy",
        $metadata: {},
        CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }, { Code: "None" }],
      });
    });

    const [{ id } = { id: "" }] = await store.list("acct_1");
    await expect(dynamoApiKeyStore(busy, table).revoke("acct_1", id, now)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      cause:
        "other requests changed the API keys of acct_1 at the same time: None, TransactionConflict, None",
    });
  });
});
