import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DailyBudgetStore } from "../../accounts/daily-budget-store.ts";
import type { UsageStore } from "../../accounts/usage-store.ts";
import { assert } from "../../base/assert.ts";
import { dayOf } from "../../base/day.ts";
import { stampOf } from "../../credits/journal.ts";
import { transactShards, untilDone } from "../ledger/change-shard.ts";
import { accountDay, baseOfBudget, readBudgetUse, readBudgetUses } from "../ledger/daily-budget.ts";
import { openShards } from "../ledger/open-shards.ts";
import {
  cacheShards,
  type LedgerOptions,
  ledgerProcess,
  type LedgerProcess,
} from "../ledger/process.ts";
import { type AccountRows, readAccountRows, sumsOf } from "../ledger/read-shards.ts";
import type { TransactItem } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";

/**
 * Creates a store of the daily budgets of accounts in DynamoDB. The row of the account and the row
 * of each shard contain the budget, so that a reservation can check the budget without another
 * request.
 */
export function dynamoDailyBudgetStore(
  client: DynamoDBDocumentClient,
  { usage, ...options }: LedgerOptions & { readonly usage: UsageStore },
): DailyBudgetStore {
  const process = ledgerProcess(client, options);
  return {
    set: (accountId, change) => setBudget(process, { accountId, ...change }, usage),
    async used(accountId, now) {
      return (await readBudgetUse(process, accountDay(accountId, stampOf(now)))).used;
    },
    async usedByWatchlists(accountId, watchlistIds, now) {
      const day = accountDay(accountId, stampOf(now));
      const days = watchlistIds.map((owner) => ({ ...day, owner }));
      return readBudgetUses(process, days);
    },
  };
}

interface Change {
  readonly accountId: string;
  readonly budget: number | null;
  readonly now: Date;
}

/** Sets the daily budget in the rows of an account and of its shards, in one transaction. */
async function setBudget(process: LedgerProcess, change: Change, usage: UsageStore): Promise<void> {
  const { accountId, budget } = change;
  await untilDone<object>(process, async (note) => {
    const rows = await readAccountRows(process, accountId);
    assert(rows !== undefined, "the account of the daily budget must exist");
    if (rows.shards.length === 0) {
      await openShards(process, accountId);
      return "fresh";
    }
    cacheShards(process, accountId, rows.shards);
    const isNew = budget !== null && typeof rows.account["daily_credit_budget"] !== "number";
    const earlier = isNew ? [await earlierUse(process, { change, rows }, usage)] : [];
    const items = [...budgetItems(process, change, rows), ...earlier];
    const transacted = await transactShards(process, accountId, items);
    if (transacted.outcome === "changed") return {};
    note(transacted.why);
    return transacted.refused.includes(true) ? "fresh" : "again";
  });
}

/**
 * Builds the write that sets the initial use of a new budget: the credits that the account has
 * spent today and holds now. Around midnight, the sum may include a hold or a charge of the
 * previous day. The sum may lack reservations that other processes are making at the same moment.
 */
async function earlierUse(
  process: LedgerProcess,
  { change: { accountId, now }, rows }: { readonly change: Change; readonly rows: AccountRows },
  usage: UsageStore,
): Promise<TransactItem> {
  const day = accountDay(accountId, stampOf(now));
  const date = dayOf(now);
  const before = await readBudgetUse(process, day);
  const [today] = await usage.daily(accountId, { from: date, to: date });
  const used = (today?.credits ?? 0) + sumsOf(rows.shards).held;
  return baseOfBudget(process, day, { before, used, now });
}

/** Builds the writes that store the new budget in the row of the account and of each shard. */
function budgetItems(
  { accountsTable }: LedgerProcess,
  { accountId, budget }: Change,
  { account, shards }: AccountRows,
): readonly TransactItem[] {
  const setting = (name: string) =>
    budget === null
      ? { UpdateExpression: "REMOVE #budget", ExpressionAttributeNames: { "#budget": name } }
      : {
          UpdateExpression: "SET #budget = :budget",
          ExpressionAttributeNames: { "#budget": name },
        };
  const values = budget === null ? {} : { ":budget": budget };
  return [
    {
      Update: {
        TableName: accountsTable,
        Key: accountKeys.account(accountId),
        ...setting("daily_credit_budget"),
        // Fails if another process has added a shard, because that shard would not have the budget.
        ConditionExpression: "shards = :shards",
        ExpressionAttributeValues: { ...values, ":shards": Number(account["shards"]) },
      },
    },
    ...shards.map(({ number }) => ({
      Update: {
        TableName: accountsTable,
        Key: accountKeys.shard(accountId, number),
        ...setting("budget"),
        ConditionExpression: "attribute_exists(pk)",
        ...(budget !== null && { ExpressionAttributeValues: values }),
      },
    })),
  ];
}
