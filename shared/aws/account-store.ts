import { unmarshall } from "@aws-sdk/util-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Account } from "../accounts/account.ts";
import { concurrencyFor } from "../accounts/account.ts";
import type { AccountStore, Admission, KeyOwner, NewKey } from "../accounts/account-store.ts";
import {
  admissionCap,
  bucketOf,
  rateDecision,
  type RateState,
  ringSlots,
  slotOf,
  windowMilliseconds,
} from "../accounts/rate-window.ts";
import { ledgerEntry } from "./ledger-entry.ts";
import { isConditionFailure, type Row } from "./dynamo.ts";
import { accountKeys } from "./table.ts";

interface Tables {
  readonly accounts: string;
  /** Needed only to open accounts. */
  readonly ledger?: string;
}

const capRefreshesMax = 3;

/** Accounts and keys in DynamoDB. Keeps each key's last known rate state in memory. */
export function dynamoAccountStore(client: DynamoDBDocumentClient, tables: Tables): AccountStore {
  const known = new Map<string, RateState>();

  const admit = async (keyHash: string, now: Date): Promise<Admission> => {
    const nowMs = now.getTime();
    for (let tries = 0; tries <= capRefreshesMax; tries += 1) {
      const state = known.get(keyHash);
      const row = await countCall(client, tables.accounts, { keyHash, nowMs, state });
      if (row === undefined || row.item["revoked_at"] !== undefined) return { outcome: "unknown" };
      const fresh = rateStateOf(row.item);
      known.set(keyHash, fresh);
      if (row.counted) {
        return { outcome: "admitted", owner: ownerOf(row.item), rate: rateDecision(fresh, nowMs) };
      }
      if (fresh.admitted >= admissionCap(fresh, nowMs)) {
        return { outcome: "limited", rate: rateDecision(fresh, nowMs) };
      }
    }
    return { outcome: "limited", rate: rateDecision(known.get(keyHash) ?? noCalls, nowMs) };
  };

  return {
    admit,
    create: (account) => createAccountRow(client, tables, account),
    async get(accountId) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: tables.accounts,
          Key: accountKeys.account(accountId),
          ConsistentRead: true,
        }),
      );
      return Item === undefined ? undefined : accountOf(Item);
    },
    addKey: (key) => putKey(client, tables.accounts, key),
  };
}

const noCalls: RateState = { admitted: 0, ring: new Map() };

/**
 * One conditional write that counts the call and returns the key's row. Without a known state it
 * can only count a call after a second of rest; a refusal brings the state for the next try.
 */
async function countCall(
  client: DynamoDBDocumentClient,
  table: string,
  call: { keyHash: string; nowMs: number; state: RateState | undefined },
): Promise<{ readonly counted: boolean; readonly item: Row } | undefined> {
  const bucket = bucketOf(call.nowMs);
  try {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName: table,
        Key: accountKeys.keyHash(call.keyHash),
        UpdateExpression:
          "SET admitted = admitted + :one, #slotAdmitted = admitted + :one, #slotBucket = :bucket, last_admitted_ms = :now",
        ConditionExpression:
          "attribute_exists(pk) AND attribute_not_exists(revoked_at) AND (admitted < :cap OR last_admitted_ms <= :rested)",
        ExpressionAttributeNames: {
          "#slotAdmitted": `ring_admitted_${slotOf(bucket)}`,
          "#slotBucket": `ring_bucket_${slotOf(bucket)}`,
        },
        ExpressionAttributeValues: {
          ":one": 1,
          ":bucket": bucket,
          ":now": call.nowMs,
          ":cap": call.state === undefined ? 0 : admissionCap(call.state, call.nowMs),
          // A whole bucket more than the window, as the ring knows times only to the bucket.
          ":rested": call.nowMs - 2 * windowMilliseconds,
        },
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return { counted: true, item: Attributes ?? {} };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    return error.Item === undefined ? undefined : { counted: false, item: unmarshall(error.Item) };
  }
}

function rateStateOf(row: Row): RateState {
  const ring = new Map<number, { bucket: number; admitted: number }>();
  for (let slot = 0; slot < ringSlots; slot += 1) {
    const bucket = row[`ring_bucket_${slot}`];
    const admitted = row[`ring_admitted_${slot}`];
    if (typeof bucket === "number" && typeof admitted === "number") {
      ring.set(slot, { bucket, admitted });
    }
  }
  return { admitted: Number(row["admitted"]), ring };
}

const ownerOf = (row: Row): KeyOwner => ({
  accountId: String(row["account_id"]),
  keyId: String(row["key_id"]),
  keyName: String(row["name"]),
  keyPrefix: String(row["prefix"]),
  demo: row["demo"] === true,
});

export const accountOf = (row: Row): Account => ({
  id: String(row["id"]),
  name: String(row["name"]),
  email: String(row["email"]),
  demo: row["demo"] === true,
  balance: Number(row["balance"]),
  held: Number(row["held"]),
  spent: Number(row["spent"]),
  lifetime: Number(row["lifetime"]),
  inFlight: Number(row["in_flight"]),
  createdAt: String(row["created_at"]),
});

async function createAccountRow(
  client: DynamoDBDocumentClient,
  tables: Tables,
  account: Account,
): Promise<void> {
  if (tables.ledger === undefined) throw new Error("Opening an account needs the ledger table");
  const entry = ledgerEntry({
    accountId: account.id,
    sequence: 1,
    type: "grant",
    credits: account.balance,
    balanceBefore: 0,
    balanceAfter: account.balance,
    createdAt: account.createdAt,
  });
  const row = {
    ...accountKeys.account(account.id),
    id: account.id,
    name: account.name,
    email: account.email,
    demo: account.demo,
    balance: account.balance,
    held: account.held,
    spent: account.spent,
    lifetime: account.lifetime,
    in_flight: account.inFlight,
    concurrency: concurrencyFor(account.lifetime),
    sequence: 1,
    created_at: account.createdAt,
  };
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName: tables.accounts,
            Item: row,
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
        {
          Put: {
            TableName: tables.ledger,
            Item: entry,
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
      ],
    }),
  );
}

async function putKey(client: DynamoDBDocumentClient, table: string, key: NewKey): Promise<void> {
  const shown = {
    account_id: key.accountId,
    key_id: key.id,
    name: key.name,
    prefix: key.prefix,
    demo: key.demo,
    created_at: key.createdAt,
  };
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName: table,
            Item: {
              ...accountKeys.keyHash(key.hash),
              ...shown,
              admitted: 0,
              last_admitted_ms: 0,
            },
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
        {
          Put: {
            TableName: table,
            Item: { ...accountKeys.key(key.accountId, key.id), ...shown, hash: key.hash },
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
      ],
    }),
  );
}
