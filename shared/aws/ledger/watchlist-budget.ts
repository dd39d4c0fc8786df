import { dayOf } from "../../base/day.ts";
import type { Reservation } from "../../credits/ledger.ts";
import type { TransactItem } from "../table/dynamo.ts";
import { accountKeys, epochSeconds } from "../table/table.ts";
import { readRow } from "./change-shard.ts";
import type { LedgerProcess } from "./process.ts";

/**
 * Days that the row of a day is stored. It must exist when the last hold of the day is resolved,
 * and `reconcile` compares it with the holds, whose rows are stored for 30 days.
 */
const storedDays = 40;

/** A daily budget of a watchlist, and the day to which a hold counts: the day of its reservation. */
export interface BudgetDay {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly day: string;
}

/**
 * Builds the write that takes credits from a watchlist's daily budget. `used` is the sum of the open
 * holds and the charges of the day. The row does not store the budget, so that a change of the
 * budget needs no write here.
 */
export const takeFromBudget = (
  { accountsTable }: LedgerProcess,
  { accountId, watchlistId, day }: BudgetDay,
  { credits, budget, now }: { credits: number; budget: number; now: Date },
): TransactItem => ({
  Update: {
    TableName: accountsTable,
    Key: accountKeys.watchlistBudget(accountId, watchlistId, day),
    UpdateExpression: "SET used = if_not_exists(used, :none) + :credits, #ttl = :ttl",
    // If the budget is smaller than the reservation, the first condition must not hold either.
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

/** Builds the write that gives refunded credits back to a watchlist's daily budget. */
export const giveToBudget = (
  { accountsTable }: LedgerProcess,
  { accountId, watchlistId, day }: BudgetDay,
  credits: number,
): TransactItem => ({
  Update: {
    TableName: accountsTable,
    Key: accountKeys.watchlistBudget(accountId, watchlistId, day),
    UpdateExpression: "SET used = used - :credits",
    ConditionExpression: "used >= :credits",
    ExpressionAttributeValues: { ":credits": credits },
  },
});

/** Reads the credits of a watchlist's daily budget that are used on a day. */
export async function usedOfBudget(
  process: LedgerProcess,
  { accountId, watchlistId, day }: BudgetDay,
): Promise<number> {
  const row = await readRow(process, accountKeys.watchlistBudget(accountId, watchlistId, day));
  return Number(row?.["used"] ?? 0);
}

/** The budget that a reservation of a step counts to; undefined if it counts to none. */
export const budgetDayOf = ({
  accountId,
  watchlistBudget,
  now,
}: Reservation): BudgetDay | undefined =>
  watchlistBudget === undefined
    ? undefined
    : { accountId, watchlistId: watchlistBudget.watchlistId, day: dayOf(now) };
