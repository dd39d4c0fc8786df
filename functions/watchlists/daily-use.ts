import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/**
 * Reads the credits that watchlists of one account have used of their daily budgets on the UTC day
 * of `now`. Returns them by watchlist ID, without watchlists that have no daily budget.
 */
export async function dailyUse(
  watchlists: readonly Watchlist[],
  now: Date,
  { budgets }: Pick<WatchlistDependencies, "budgets">,
): Promise<ReadonlyMap<string, number>> {
  const limited = watchlists.filter(({ dailyCreditBudget }) => dailyCreditBudget !== null);
  const [first] = limited;
  if (first === undefined) return new Map();
  return budgets.usedByWatchlists(
    first.accountId,
    limited.map(({ id }) => id),
    now,
  );
}
