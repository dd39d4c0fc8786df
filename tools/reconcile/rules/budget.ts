import type { StoredHold } from "./account.ts";
import { type Difference, fieldDifferences } from "./difference.ts";

/** The credits of a watchlist's daily budget that are used on a UTC day. */
export interface StoredBudget {
  readonly watchlistId: string;
  /** The UTC date, as `YYYY-MM-DD`. */
  readonly day: string;
  readonly used: number;
}

const nameOf = ({ watchlistId, day }: Pick<StoredBudget, "watchlistId" | "day">): string =>
  `${watchlistId} budget of ${day}`;

/**
 * Compares the used credits of each budget and day with the open holds and the charges that count to
 * it. Ignores days from before `since` (`YYYY-MM-DD`), because resolved holds expire.
 */
export function budgetDifferences(
  budgets: readonly StoredBudget[],
  { holds, since }: { readonly holds: readonly StoredHold[]; readonly since: string },
): Difference[] {
  const used = new Map<string, number>();
  for (const { budget, credits, charged } of holds) {
    if (budget === null || budget.day < since) continue;
    used.set(nameOf(budget), (used.get(nameOf(budget)) ?? 0) + (charged ?? credits));
  }
  const stored = new Map(
    budgets.filter(({ day }) => day >= since).map((budget) => [nameOf(budget), budget.used]),
  );
  return [...new Set([...used.keys(), ...stored.keys()])].flatMap((name) =>
    fieldDifferences(name, { used: stored.get(name) ?? 0 }, { used: used.get(name) ?? 0 }),
  );
}
