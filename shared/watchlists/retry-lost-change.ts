import type { RandomSource, Clock } from "../base/clock.ts";
import { conflict, watchlistNotFound } from "../base/errors.ts";
import { type ChangeAttempt, repeatChange } from "../base/repeat-change.ts";
import { repeats } from "../base/retry-budget.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

interface Dependencies {
  readonly watchlists: Pick<WatchlistStore, "get">;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Maximum number of attempts of a change while concurrent changes make it fail. */
const triesMax = 24;

/**
 * Repeats `attempt`, a change of a watchlist, while a concurrent change makes it fail, and returns
 * its result. The first attempt receives `foundWatchlist`. Before each later attempt, the watchlist
 * is read again.
 * @throws 404 if the watchlist was deleted; 409 after `triesMax` conflicts; 503 if the retry budget
 * is exhausted
 */
export async function retryLostChange<Result>(
  foundWatchlist: Watchlist,
  attempt: (current: Watchlist) => Promise<ChangeAttempt<Result>>,
  { watchlists, clock, random }: Dependencies,
): Promise<Result> {
  let current: Watchlist | undefined = foundWatchlist;
  return repeatChange(
    async () => {
      const watchlist =
        current ?? (await watchlists.get(foundWatchlist.accountId, foundWatchlist.id));
      current = undefined;
      if (watchlist === undefined) throw watchlistNotFound(foundWatchlist.id);
      return attempt(watchlist);
    },
    {
      triesMax,
      exhausted: () =>
        conflict("Other calls are changing this watchlist, so nothing was applied. Try again."),
      mayRepeat: repeats({ clock, random }, { pauseMs: 5, pauseMsMax: 400 }),
    },
  );
}
