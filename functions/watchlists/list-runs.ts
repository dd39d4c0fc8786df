import type { UndefinedSchema } from "valibot";
import { presentStoredRun } from "../../shared/runs/present-run.ts";
import { runsQuery } from "../../shared/runs/queries.ts";
import { withProgress } from "../../shared/runs/run-progress.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/{id}/runs`. Lists the runs of a watchlist, newest first. */
export const listRunsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof runsQuery
>({
  query: runsQuery,
  async handle(
    { caller, path, query: { limit, before_run: before } },
    { watchlists, runs, steps },
  ) {
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const page = await runs.list(watchlist.id, limit, before);
    const foundRuns = await Promise.all(page.runs.map((run) => withProgress(run, steps)));
    return {
      status: 200,
      body: { object: "list", data: foundRuns.map(presentStoredRun), has_more: page.hasMore },
    };
  },
});
