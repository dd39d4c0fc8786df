import { accountOwner } from "../../../shared/aws/ledger/daily-budget.ts";
import type { StoredHold } from "./account.ts";
import { type Difference, fieldDifferences } from "./difference.ts";

/** A daily budget: its owner, which is a watchlist's ID or `account`, and the UTC date. */
export interface BudgetName {
  readonly owner: string;
  /** The UTC date, as `YYYY-MM-DD`. */
  readonly day: string;
}

/** The stored use of a daily budget. */
export interface StoredBudget extends BudgetName {
  /** Credits of the open holds and the charges that count towards the budget. */
  readonly used: number;
}

interface Counted {
  /** The holds that have separate rows. */
  readonly holds: readonly StoredHold[];
  /** The credits that calls have reserved or spent of the account's daily budget, by UTC day. */
  readonly calls: ReadonlyMap<string, number>;
  /** The first day to compare. Holds of earlier days may have expired. */
  readonly since: string;
}

/**
 * Compares the stored use of each daily budget with the credits of the open holds and charges that
 * count towards the budget. Leaves out days before `since`. Returns the differences.
 */
export function budgetDifferences(
  accountId: string,
  budgets: readonly StoredBudget[],
  { holds, calls, since }: Counted,
): Difference[] {
  const nameOf = ({ owner, day }: BudgetName): string =>
    `${owner === accountOwner ? accountId : owner} budget of ${day}`;
  const used = new Map<string, number>();
  const count = (budget: BudgetName, credits: number): void => {
    if (budget.day < since) return;
    used.set(nameOf(budget), (used.get(nameOf(budget)) ?? 0) + credits);
  };
  for (const { budgets: own, credits, charged } of holds) {
    for (const budget of own) count(budget, charged ?? credits);
  }
  for (const [day, credits] of calls) count({ owner: accountOwner, day }, credits);
  const stored = new Map(
    budgets.filter(({ day }) => day >= since).map((budget) => [nameOf(budget), budget.used]),
  );
  return [...new Set([...used.keys(), ...stored.keys()])].flatMap((name) =>
    fieldDifferences(name, { used: stored.get(name) ?? 0 }, { used: used.get(name) ?? 0 }),
  );
}
