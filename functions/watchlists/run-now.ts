import { addWorkKeys } from "../../shared/observability/work-log.ts";
import { presentRun } from "../../shared/runs/present-run.ts";
import { startMetrics } from "../../shared/runs/run-metrics.ts";
import { runNow } from "../../shared/runs/run-now.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/**
 * `POST /v1/watchlists/{id}/run`. Starts a run of a watchlist now. The next scheduled run of an
 * active watchlist is then calculated from this time.
 */
export const startRunRoute = route<WatchlistDependencies>({
  async handle({ caller, path, now }, dependencies) {
    const watchlist = await existingWatchlist(
      dependencies.watchlists,
      caller.accountId,
      path["id"],
    );
    const run = await runNow(watchlist, now, dependencies);
    addWorkKeys({ run_id: run.id, run_number: run.runNumber });
    return { status: 202, body: presentRun(run), metrics: [startMetrics(run, null)] };
  },
});
