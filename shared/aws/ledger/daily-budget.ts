import { dayOf } from "../../base/day.ts";
import { timeOfStamp } from "../../credits/journal.ts";
import type { ReserveOutcome } from "../../credits/ledger.ts";
import type { TransactItem } from "../table/dynamo.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { accountKeys, epochSeconds } from "../table/table.ts";
import { readRow, readShard } from "./change-shard.ts";
import { cacheShards, cachedAccountOf, type LedgerProcess } from "./process.ts";
import { totalBalance } from "./read-shards.ts";

/**
 * Days for which the row of a daily budget is stored. The row must exist until the last hold of its
 * day is resolved. It also outlasts the rows of holds (30 days), because `reconcile` compares it
 * with them.
 */
const storedDays = 40;

/** The daily budget of an account or of a watchlist, on one UTC day. */
export interface BudgetDay {
  readonly accountId: string;
  /** The ID of the watchlist, or `accountOwner`. */
  readonly owner: string;
  /** The UTC day, as `YYYY-MM-DD`. A hold counts towards the day of its reservation. */
  readonly day: string;
}

/** Value of `owner` for the budget of an account. */
export const accountOwner = "account";

/** A daily budget from which a reservation takes credits. `budget` is its limit in credits. */
export interface CountedBudget extends BudgetDay {
  readonly budget: number;
}

/**
 * Returns the reference to the daily budget of an account on a UTC day.
 * @param at stamp of a time on that day, in microseconds since 1970
 */
export const accountDay = (accountId: string, at: number): BudgetDay => ({
  accountId,
  owner: accountOwner,
  day: dayOf(timeOfStamp(at)),
});

const rowKey = ({ accountId, owner, day }: BudgetDay) =>
  accountKeys.dailyBudget(accountId, owner, day);

/**
 * Builds the write that takes credits from a daily budget. The write fails if the budget does not
 * cover these credits. `used` is the sum of the day's open holds and charges. The row does not
 * store the budget, so the condition of this write contains the limit.
 */
export const takeFromBudget = (
  { accountsTable }: LedgerProcess,
  { budget, ...day }: CountedBudget,
  { credits, now }: { readonly credits: number; readonly now: Date },
): TransactItem => ({
  Update: {
    TableName: accountsTable,
    Key: rowKey(day),
    UpdateExpression: "SET used = if_not_exists(used, :none) + :credits, #ttl = :ttl",
    // A reservation that exceeds the whole budget must be refused even if the row does not exist
    // yet.
    ConditionExpression:
      credits <= budget ? "attribute_not_exists(used) OR used <= :room" : "used <= :room",
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: {
      ":none": 0,
      ":credits": credits,
      ":room": budget - credits,
      ":ttl": epochSeconds(now) + storedDays * 86_400,
    },
  },
});

/**
 * Builds the write that gives refunded credits back to a daily budget. The write fails if fewer
 * credits of the budget are used.
 */
export const giveToBudget = (
  { accountsTable }: LedgerProcess,
  day: BudgetDay,
  credits: number,
): TransactItem => ({
  Update: {
    TableName: accountsTable,
    Key: rowKey(day),
    UpdateExpression: "SET used = used - :credits",
    ConditionExpression: "used >= :credits",
    ExpressionAttributeValues: { ":credits": credits },
  },
});

/** The use of a daily budget. */
export interface BudgetUse {
  /** Credits of the open holds and the charges of the day. */
  readonly used: number;
  /** The part of `used` that was charged or held on the same day before the budget was set. */
  readonly base: number;
}

/**
 * Reads the use of a daily budget, with a strongly consistent read. `used` and `base` are 0 if
 * nothing was charged or held on the day.
 */
export async function readBudgetUse(process: LedgerProcess, day: BudgetDay): Promise<BudgetUse> {
  const row = await readRow(process, rowKey(day));
  return { used: Number(row?.["used"] ?? 0), base: Number(row?.["base"] ?? 0) };
}

/**
 * Reads the used credits of several daily budgets of one account. Returns the credits by owner of
 * the budget: the account or a watchlist. Omits budgets that have no stored row.
 */
export async function readBudgetUses(
  process: LedgerProcess,
  days: readonly BudgetDay[],
): Promise<ReadonlyMap<string, number>> {
  const options = { ...process, table: process.accountsTable, attributes: ["sk", "used"] };
  const rows = await rowsByKey(process.client, options, days.map(rowKey));
  const used = new Map(rows.map((row) => [row["sk"], Number(row["used"])]));
  return new Map(
    days.flatMap((day) => {
      const credits = used.get(rowKey(day).sk);
      return credits === undefined ? [] : [[day.owner, credits] as const];
    }),
  );
}

/**
 * Builds the write that sets the used credits of a new daily budget of an account to `used`. The
 * write fails if the number of used credits is no longer `before`.
 * @param before the used credits as the caller has read them; not 0 if the account had an earlier
 * budget on this day. They can include open holds. A later refund of such a hold also reduces the
 * use of the new budget.
 */
export const baseOfBudget = (
  { accountsTable }: LedgerProcess,
  day: BudgetDay,
  { before, used, now }: { readonly before: BudgetUse; readonly used: number; readonly now: Date },
): TransactItem => ({
  Update: {
    TableName: accountsTable,
    Key: rowKey(day),
    UpdateExpression: "SET used = :used, #base = :base, #ttl = :ttl",
    ConditionExpression: "attribute_not_exists(used) OR used = :before",
    ExpressionAttributeNames: { "#base": "base", "#ttl": "ttl" },
    ExpressionAttributeValues: {
      ":used": used,
      ":base": used - (before.used - before.base),
      ":before": before.used,
      ":ttl": epochSeconds(now) + storedDays * 86_400,
    },
  },
});

/**
 * Returns why a daily budget of an account or a watchlist refused a reservation, with the credits
 * that it still has today. Returns undefined if the reservation can be repeated: the budget now
 * covers `credits`, or the account has a new budget, which this call has cached.
 * @param credits the credits that the reservation asked for
 */
export async function overBudget(
  process: LedgerProcess,
  { budget, ...day }: CountedBudget,
  credits: number,
): Promise<Extract<ReserveOutcome, { readonly outcome: "over_budget" }> | undefined> {
  const { used } = await readBudgetUse(process, day);
  const available = Math.max(0, budget - used);
  if (credits <= available) return undefined;
  const { accountId } = day;
  const kind = day.owner === accountOwner ? "account" : "watchlist";
  if (kind === "account" && (await currentBudget(process, accountId)) !== budget) return undefined;
  const balance = await totalBalance(
    process,
    accountId,
    cachedAccountOf(process, accountId).shards,
  );
  return { outcome: "over_budget", budget: kind, limit: budget, available, balance };
}

/**
 * Reads, caches and returns the daily budget of an account; null if the account has none. The read
 * is needed after a refused transaction: a conflict, or the refusal of another row, can hide
 * whether the shard still has the cached budget.
 */
async function currentBudget(process: LedgerProcess, accountId: string): Promise<number | null> {
  const shard = await readShard(process, accountId, cachedAccountOf(process, accountId).home);
  if (shard !== undefined) cacheShards(process, accountId, [shard]);
  return cachedAccountOf(process, accountId).budget;
}
