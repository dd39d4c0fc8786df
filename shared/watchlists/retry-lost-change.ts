import type { Chance, Clock } from "../base/clock.ts";
import { conflict, notFound, unavailable } from "../base/errors.ts";
import { repeats } from "../base/retry-budget.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

interface Dependencies {
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Changes by others that a call meets in a row before it gives up. */
const triesMax = 24;

/**
 * Attempts a change of a watchlist, with the watchlist as it is then, until the attempt returns a
 * result; undefined means that another change came first and nothing was applied.
 * @throws 404 when the watchlist is deleted, 409 when others keep changing it, 503 when the retry
 * budget is used up.
 */
export async function retryLostChange<Result>(
  found: Watchlist,
  attempt: (current: Watchlist) => Promise<Result | undefined>,
  { watchlists, clock, chance }: Dependencies,
): Promise<Result> {
  const mayRepeat = repeats({ clock, chance }, { pauseMs: 5, pauseMsMax: 400 });
  let current = found;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await attempt(current);
    if (result !== undefined) return result;
    if (!(await mayRepeat())) throw unavailable();
    const next = await watchlists.get(found.accountId, found.id);
    if (next === undefined) throw notFound("This watchlist");
    current = next;
  }
  throw conflict(
    "Other calls change this watchlist at the same time. Nothing was applied. Try again.",
  );
}
