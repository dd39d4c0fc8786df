import type { ApiClient } from "./client.ts";
import type { List, WatchlistRun } from "./resources.ts";

const pageSize = 100;
/** The number of runs of a watchlist that the service keeps. */
export const runsKept = 500;

interface RunsSince {
  readonly listId: string;
  /** The earliest start of the runs to read, in milliseconds since 1970. */
  readonly since: number;
  readonly signal?: AbortSignal;
}

/** Reads the runs of a watchlist that started at or after `since`, newest first. */
export async function readRunsSince(
  api: ApiClient,
  { listId, since, signal }: RunsSince,
): Promise<readonly WatchlistRun[]> {
  const runs: WatchlistRun[] = [];
  for (let hasMore = true; hasMore && runs.length < runsKept;) {
    const page = await api.get<List<WatchlistRun>>(`watchlists/${listId}/runs`, {
      ...(signal && { signal }),
      query: { limit: pageSize, before_run: runs.at(-1)?.run_number },
    });
    runs.push(...page.data);
    hasMore = page.has_more && Date.parse(runs.at(-1)?.started_at ?? "") >= since;
  }
  return runs.filter(({ started_at: at }) => Date.parse(at) >= since);
}
