import { assert } from "../../base/assert.ts";
import type { CreditSource } from "../../credits/ledger.ts";
import type { Row } from "../table/dynamo.ts";
import { creditSourceOf } from "./entry-row.ts";
import { accountKeys } from "../table/table.ts";
import { readRow } from "./change-shard.ts";
import { accountOwner, type BudgetDay } from "./daily-budget.ts";
import type { LedgerProcess } from "./process.ts";

/**
 * A hold with a separate row: the hold of a run's step, of a call with a refunded charge, or of an
 * unsharded call.
 */
export interface RowHold {
  readonly isOpen: boolean;
  readonly shard: number;
  readonly credits: number;
  /** Charged credits; 0 while the hold is open. */
  readonly charged: number;
  /** Time of the resolution, ISO 8601 UTC. Has no meaning while the hold is open. */
  readonly resolvedAt: string;
  /** True if the hold occupies a slot, which only the hold of an unsharded call does. */
  readonly slot: boolean;
  readonly source: CreditSource;
  /** The daily budgets towards which the hold counts. */
  readonly budgets: readonly BudgetDay[];
}

const holdOf = (row: Row): RowHold => {
  const source = creditSourceOf(row);
  assert(source !== null, "a hold must be for a call or a step");
  return {
    isOpen: row["state"] === "open",
    shard: Number(row["shard"] ?? 0),
    credits: Number(row["credits"]),
    charged: Number(row["charged"] ?? 0),
    resolvedAt: String(row["resolved_at"]),
    slot: row["slot"] === true,
    source,
    budgets: budgetsOf(row),
  };
};

/** Returns the daily budgets whose used credits include a hold, from the row of the hold. */
export function budgetsOf(row: Row): readonly BudgetDay[] {
  const accountId = String(row["account_id"]);
  const { budget_day: ofWatchlist, account_budget_day: ofAccount } = row;
  return [
    ...(typeof ofWatchlist === "string"
      ? [{ accountId, owner: String(row["watchlist_id"]), day: ofWatchlist }]
      : []),
    ...(typeof ofAccount === "string" ? [{ accountId, owner: accountOwner, day: ofAccount }] : []),
  ];
}

/**
 * Returns the attributes of a hold's row that store `budgets`, the daily budgets whose used credits
 * include the hold.
 */
export const budgetsRow = (budgets: readonly BudgetDay[]): Row =>
  Object.fromEntries(
    budgets.map(({ owner, day }) => [
      owner === accountOwner ? "account_budget_day" : "budget_day",
      day,
    ]),
  );

/**
 * Reads the row of a hold, strongly consistent. Returns undefined if the hold has no row.
 * @throws 503 UNAVAILABLE if DynamoDB keeps throttling the read or the retry budget is exhausted
 */
export async function readHold(
  process: LedgerProcess,
  accountId: string,
  holdId: string,
): Promise<RowHold | undefined> {
  const row = await readRow(process, accountKeys.hold(accountId, holdId));
  return row && holdOf(row);
}
