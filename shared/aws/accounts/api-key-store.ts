import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import type { NewKey } from "../../accounts/account-store.ts";
import type { ApiKey, ApiKeyStore } from "../../accounts/api-key-store.ts";
import { conflict, unavailable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  cancellationReasons,
  codesOf,
  isContention,
  isRefused,
  type Row,
} from "../table/dynamo.ts";
import { lastUseAttributes, lastUseOf, newKeyRow, scopesOfRow, scopesRow } from "./key-row.ts";
import { queryRows } from "../table/query-rows.ts";
import { accountKeys } from "../table/table.ts";

/**
 * Creates a store of API keys in DynamoDB. Each key has two rows: one in the list of its account,
 * and one whose table key is the hash of the API key.
 */
export function dynamoApiKeyStore(client: DynamoDBDocumentClient, table: string): ApiKeyStore {
  return {
    list: (accountId) => listKeys(client, table, accountId),
    async revoke(accountId, keyId, now) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table,
          Key: accountKeys.key(accountId, keyId),
          ConsistentRead: true,
        }),
      );
      if (Item === undefined) return false;
      const hash = String(Item["hash"]);
      return revokeKey(client, table, { accountId, keyId, hash, now });
    },
  };
}

/** Position of the key counter's write in the transaction that adds a key. */
const countPosition = 0;

/**
 * Stores a new key.
 * @throws 409 CONFLICT if the account already has `limits.apiKeysMax` keys; 503 UNAVAILABLE if a
 * concurrent request changes the keys of the account
 */
export async function putKey(
  client: DynamoDBDocumentClient,
  table: string,
  key: NewKey,
): Promise<void> {
  const listing = {
    ...accountKeys.key(key.accountId, key.id),
    account_id: key.accountId,
    key_id: key.id,
    name: key.name,
    prefix: key.prefix,
    demo: key.demo,
    ...scopesRow(key.scopes),
    created_at: key.createdAt,
    hash: key.hash,
  };
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName: table,
              Key: accountKeys.keyCount(key.accountId),
              UpdateExpression: "ADD key_count :one",
              ConditionExpression: "attribute_not_exists(key_count) OR key_count < :max",
              ExpressionAttributeValues: { ":one": 1, ":max": limits.apiKeysMax },
            },
          },
          ...[newKeyRow(key), listing].map((Item) => ({
            Put: { TableName: table, Item, ConditionExpression: "attribute_not_exists(pk)" },
          })),
        ],
      }),
    );
  } catch (error) {
    if (!isRefused(cancellationReasons(error)?.[countPosition])) {
      throw unavailableIfContended(error, key.accountId);
    }
    throw conflict(
      `The account has ${limits.apiKeysMax} API keys, which is the maximum. Revoke one with DELETE /v1/api_keys/{id}, then repeat the call.`,
    );
  }
}

/**
 * Converts the error of a transaction to 503 if other requests contended for its rows, so that the
 * client repeats the call. Returns any other error unchanged.
 */
function unavailableIfContended(error: unknown, accountId: string): unknown {
  const reasons = cancellationReasons(error) ?? [];
  return isContention(reasons)
    ? unavailable(
        `other requests changed the API keys of ${accountId} at the same time: ${codesOf(reasons)}`,
      )
    : error;
}

/** Lists the active keys of an account, oldest first. */
async function listKeys(
  client: DynamoDBDocumentClient,
  table: string,
  accountId: string,
): Promise<readonly ApiKey[]> {
  const rows = queryRows(client, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :key)",
    ExpressionAttributeValues: {
      ":pk": accountKeys.account(accountId).pk,
      ":key": accountKeys.key(accountId, "").sk,
    },
  });
  const listed = await Array.fromAsync(rows);
  const lastUsed = await lastUses(
    client,
    table,
    listed.map((row) => String(row["hash"])),
  );
  return listed.map((row) => ({
    id: String(row["key_id"]),
    name: String(row["name"]),
    prefix: String(row["prefix"]),
    scopes: scopesOfRow(row),
    createdAt: String(row["created_at"]),
    lastUsedAt: lastUsed.get(String(row["key_id"])) ?? null,
  }));
}

/**
 * Maximum number of requests for the last uses of keys. A key that an overloaded table omits from
 * every response is listed without a last use.
 */
const readTriesMax = 5;

/** Returns the time of the last admitted call of each key, by key ID. Omits keys without a call. */
async function lastUses(
  client: DynamoDBDocumentClient,
  table: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows: Row[] = [];
  let left: Row[] = hashes.map((hash) => ({ ...accountKeys.keyHash(hash) }));
  for (let tries = 0; left.length > 0 && tries < readTriesMax; tries += 1) {
    const ProjectionExpression = `key_id, ${lastUseAttributes}`;
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ProjectionExpression } } }),
    );
    rows.push(...(Responses?.[table] ?? []));
    left = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return new Map(
    rows.flatMap((row) => {
      const lastUse = lastUseOf(row);
      return lastUse === null ? [] : [[String(row["key_id"]), lastUse]];
    }),
  );
}

/** Revokes a key in one transaction. Returns false if another call has revoked it. */
async function revokeKey(
  client: DynamoDBDocumentClient,
  table: string,
  key: { accountId: string; keyId: string; hash: string; now: Date },
): Promise<boolean> {
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Delete: {
              TableName: table,
              Key: accountKeys.key(key.accountId, key.keyId),
              ConditionExpression: "attribute_exists(pk)",
            },
          },
          {
            Update: {
              TableName: table,
              Key: accountKeys.keyHash(key.hash),
              // A revoked key is always refused, so its row no longer needs the admission times.
              UpdateExpression: "SET revoked_at = :now REMOVE admitted_ms",
              ConditionExpression: "attribute_exists(pk)",
              ExpressionAttributeValues: { ":now": key.now.toISOString() },
            },
          },
          {
            Update: {
              TableName: table,
              Key: accountKeys.keyCount(key.accountId),
              UpdateExpression: "ADD key_count :less",
              ExpressionAttributeValues: { ":less": -1 },
            },
          },
        ],
      }),
    );
    return true;
  } catch (error) {
    // Another call has revoked the key since this call read its row.
    if (isRefused(cancellationReasons(error)?.[0])) return false;
    throw unavailableIfContended(error, key.accountId);
  }
}
