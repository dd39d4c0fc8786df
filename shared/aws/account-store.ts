import {
  type DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Account } from "../accounts/account.ts";
import { concurrencyFor } from "../accounts/account.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import type { AutoTopUp, AutoTopUpStore } from "../accounts/auto-top-up.ts";
import { isPackId } from "../accounts/credit-packs.ts";
import { assert } from "../base/assert.ts";
import type { Chance } from "../base/clock.ts";
import { putKey } from "./api-key-store.ts";
import { type Row, unlessRefused } from "./dynamo.ts";
import { keyAdmission } from "./key-admission.ts";
import { ledgerEntry } from "./ledger-entry.ts";
import { accountKeys } from "./table.ts";

interface Tables {
  readonly accounts: string;
  /** Needed only to open accounts. */
  readonly ledger?: string;
}

/** Accounts and keys in DynamoDB. */
export function dynamoAccountStore(
  client: DynamoDBDocumentClient,
  tables: Tables,
  chance?: Chance,
): AccountStore {
  return {
    admit: keyAdmission(client, tables.accounts, chance),
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

/** Keeps what accounts wish for when their balance runs low. */
export function dynamoAutoTopUpStore(
  client: DynamoDBDocumentClient,
  table: string,
): AutoTopUpStore {
  return {
    setAutoTopUp: (accountId, autoTopUp) =>
      unlessRefused(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: accountKeys.account(accountId),
            UpdateExpression: "SET auto_topup = :wish",
            ConditionExpression: "attribute_exists(pk)",
            ExpressionAttributeValues: { ":wish": autoTopUp },
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
    "an account tops up by a pack that exists",
  );
  return { enabled: enabled === true, thresholdCredits: Number(thresholdCredits), packId };
}

const accountOf = (row: Row): Account => ({
  id: String(row["id"]),
  name: String(row["name"]),
  email: String(row["email"]),
  demo: row["demo"] === true,
  balance: Number(row["balance"]),
  held: Number(row["held"]),
  spent: Number(row["spent"]),
  lifetime: Number(row["lifetime"]),
  inFlight: Number(row["in_flight"]),
  autoTopUp: autoTopUpOf(row["auto_topup"]),
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
