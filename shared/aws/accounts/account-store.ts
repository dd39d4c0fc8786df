import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { type Account, concurrencyFor, shardSlots } from "../../accounts/account.ts";
import type { AccountStore } from "../../accounts/account-store.ts";
import type { AutoTopUp, AutoTopUpStore } from "../../accounts/auto-top-up.ts";
import { isPackId } from "../../accounts/credit-packs.ts";
import { assert } from "../../base/assert.ts";
import { boundedMap } from "../../base/bounded-map.ts";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { putKey } from "./api-key-store.ts";
import { type Row, conditionalWrite } from "../table/dynamo.ts";
import { keyAdmission } from "./key-admission.ts";
import type { ChangeRecord } from "../../credits/journal.ts";
import { stampOf } from "../../credits/journal.ts";
import { systemRandom, systemClock } from "../../base/system.ts";
import { type AccountRows, readWholeAccount, sumsOf } from "../ledger/read-shards.ts";
import { newShardRow } from "../ledger/shard-row.ts";
import { accountKeys } from "../table/table.ts";
import { dailyUsage } from "./usage-store.ts";

interface Tables {
  readonly accounts: string;
}

interface RetryOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Maximum number of accounts whose number of shards a process keeps. */
const accountsMax = 10_000;

/** Creates a store of accounts in DynamoDB. The store also admits calls by their API keys. */
export function dynamoAccountStore(
  client: DynamoDBDocumentClient,
  tables: Tables,
  options: RetryOptions = { clock: systemClock, random: systemRandom },
): AccountStore {
  const reader = { ...options, client, accountsTable: tables.accounts };
  // With the number of shards, one request reads an account and all of its shards.
  const shardCounts = boundedMap<number>(accountsMax);
  const rowsOf = async (accountId: string): Promise<AccountRows | undefined> => {
    const rows = await readWholeAccount(reader, accountId, shardCounts.get(accountId));
    if (rows !== undefined) shardCounts.set(accountId, rows.shards.length);
    return rows;
  };
  return {
    admit: keyAdmission(client, tables.accounts, options.random),
    create: (account) => createAccountRows(client, tables.accounts, account),
    async get(accountId) {
      const rows = await rowsOf(accountId);
      return rows === undefined ? undefined : accountOf(rows);
    },
    async getWithUsage(accountId, date) {
      const rows = await rowsOf(accountId);
      if (rows === undefined) return undefined;
      const { shards } = rows;
      const [day] = await dailyUsage(reader, { accountId, shards }, { from: date, to: date });
      return { account: accountOf(rows), creditsCharged: day?.credits ?? 0 };
    },
    addKey: (key) => putKey(client, tables.accounts, key),
  };
}

/** Creates a store of the auto top-up settings of accounts in DynamoDB. */
export function dynamoAutoTopUpStore(
  client: DynamoDBDocumentClient,
  table: string,
): AutoTopUpStore {
  return {
    setAutoTopUp: (accountId, autoTopUp) =>
      conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: accountKeys.account(accountId),
            UpdateExpression: "SET auto_topup = :autoTopUp",
            ConditionExpression: "attribute_exists(pk)",
            ExpressionAttributeValues: { ":autoTopUp": autoTopUp },
          }),
        ),
      ),
  };
}

function autoTopUpOf(stored: unknown): AutoTopUp | null {
  if (stored === undefined || stored === null) return null;
  const { enabled, thresholdCredits, packId } = stored as Row;
  assert(
    typeof packId === "string" && isPackId(packId),
    `the credit pack of an auto top-up must exist (got ${String(packId)})`,
  );
  return { enabled: enabled === true, thresholdCredits: Number(thresholdCredits), packId };
}

/** Converts the rows of an account. Its balance and totals are sums over its shards. */
function accountOf({ account, shards }: AccountRows): Account {
  // An account without shards stores its balance and totals in its own row.
  const sums =
    shards.length > 0
      ? sumsOf(shards)
      : {
          balance: Number(account["balance"]),
          held: Number(account["held"]),
          spent: Number(account["spent"]),
          inFlight: Number(account["in_flight"]),
        };
  return {
    id: String(account["id"]),
    name: String(account["name"]),
    email: String(account["email"]),
    demo: account["demo"] === true,
    ...sums,
    lifetime: Number(account["lifetime"]),
    autoTopUp: autoTopUpOf(account["auto_topup"]),
    dailyCreditBudget:
      typeof account["daily_credit_budget"] === "number" ? account["daily_credit_budget"] : null,
    createdAt: String(account["created_at"]),
  };
}

/**
 * Creates the rows of an account and of its first shard, which receives the credits of the signup
 * grant.
 */
async function createAccountRows(
  client: DynamoDBDocumentClient,
  table: string,
  account: Account,
): Promise<void> {
  const { id, balance, createdAt } = account;
  const at = stampOf(new Date(createdAt));
  const concurrency = concurrencyFor(account.lifetime);
  const { shards: count } = shardSlots(concurrency, 0);
  const grant: ChangeRecord = { type: "grant", at, credits: balance, changeId: null };
  const rows = [
    {
      ...accountKeys.account(id),
      id,
      name: account.name,
      email: account.email,
      demo: account.demo,
      lifetime: account.lifetime,
      received: balance,
      shards: count,
      created_at: createdAt,
    },
    ...Array.from({ length: count }, (_, number) => {
      const first = number === 0 ? { balance, sequence: 1, journal: [grant] } : {};
      return newShardRow({ accountId: id, number, concurrency, fence: at, ...first });
    }),
  ];
  await client.send(
    new TransactWriteCommand({
      TransactItems: rows.map((row) => ({
        Put: { TableName: table, Item: row, ConditionExpression: "attribute_not_exists(pk)" },
      })),
    }),
  );
}
