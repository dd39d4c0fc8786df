import type { RandomSource, Clock } from "../base/clock.ts";
import { conflict, notFound, unavailable } from "../base/errors.ts";
import { repeats } from "../base/retry-budget.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

interface Dependencies {
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Maximum number of tries of a change that loses against concurrent changes. */
const triesMax = 24;

/**
 * Calls `attempt` with the current watchlist until it returns a result. `attempt` returns undefined
 * if a concurrent change came first and nothing was applied. The first call receives `found`;
 * before each later call, the watchlist is read again.
 * @throws 404 if the watchlist was deleted; 409 after `triesMax` conflicts; 503 if the retry budget
 * is exhausted.
 */
export async function retryLostChange<Result>(
  found: Watchlist,
  attempt: (current: Watchlist) => Promise<Result | undefined>,
  { watchlists, clock, random }: Dependencies,
): Promise<Result> {
  const mayRepeat = repeats({ clock, random }, { pauseMs: 5, pauseMsMax: 400 });
  let current = found;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await attempt(current);
    if (result !== undefined) return result;
    if (!(await mayRepeat())) throw unavailable();
    const next = await watchlists.get(found.accountId, found.id);
    if (next === undefined) throw notFound("This watchlist");
    current = next;
  }
  throw conflict("Other calls are changing this watchlist, so nothing was applied. Try again.");
}
