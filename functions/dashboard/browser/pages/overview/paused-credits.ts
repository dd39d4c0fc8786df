import type { ApiClient } from "../../api/client.ts";
import type { Watchlist, WatchlistRun } from "../../api/resources.ts";
import { readRunsSince, runsKept } from "../../api/runs.ts";
import { readWatchlists } from "../../api/watchlists.ts";
import { type PausedCredits, usageDays } from "./run-out.ts";

const dayMs = 86_400_000;

const dayOf = (time: string): string => time.slice(0, "2026-11-21".length);

/** Returns the UTC day after a time. */
const dayAfter = (time: string): string => dayOf(new Date(Date.parse(time) + dayMs).toISOString());

/**
 * Reads the credits that the runs of paused watchlists charged on the days from which `currentPace`
 * computes the rate of use. The service keeps a limited number of runs of each watchlist. If a
 * paused watchlist had more runs on these days, the result begins with a later day.
 */
export async function readPausedCredits(
  api: ApiClient,
  signal: AbortSignal,
): Promise<PausedCredits> {
  // One day more than needed, because the browser's clock and the service's may be on different UTC
  // days.
  const from = Date.now() - (usageDays + 1) * dayMs;
  const { data } = await readWatchlists(api, signal);
  const ranSince = ({ status, last_run_at: at }: Watchlist): boolean =>
    status === "paused" && at !== null && Date.parse(at) >= from;
  const runs = await Promise.all(
    data.filter(ranSince).map(({ id }) => readRunsSince(api, { listId: id, since: from, signal })),
  );
  return pausedCredits(runs, new Date(from));
}

/**
 * Sums the credits of the runs of paused watchlists by UTC day. In the result, `since` is the first
 * day for which all of these runs are known.
 * @param runsOfLists for each paused watchlist, the runs that the service keeps and that started at
 * `from` or later, newest first
 */
export function pausedCredits(
  runsOfLists: readonly (readonly Pick<WatchlistRun, "started_at" | "credits">[])[],
  from: Date,
): PausedCredits {
  const byDay = new Map<string, number>();
  for (const { started_at: at, credits } of runsOfLists.flat()) {
    byDay.set(dayOf(at), (byDay.get(dayOf(at)) ?? 0) + credits);
  }
  const starts = runsOfLists
    .filter((runs) => runs.length >= runsKept)
    .map((runs) => dayAfter(runs.at(-1)?.started_at ?? from.toISOString()));
  return { since: [dayOf(from.toISOString()), ...starts].toSorted().at(-1) ?? "", byDay };
}
