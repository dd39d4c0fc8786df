import type { UndefinedSchema } from "valibot";
import { presentRun } from "../../shared/runs/present-run.ts";
import { runsQuery } from "../../shared/runs/queries.ts";
import { route } from "../http/route.ts";
import { existing } from "./existing.ts";
import type { WatchlistDependencies } from "./handler.ts";

export const listRunsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof runsQuery
>({
  query: runsQuery,
  async handle({ caller, path, query: { limit } }, { watchlists, runs }) {
    const watchlist = await existing(watchlists, caller.accountId, path["id"]);
    const page = await runs.list(watchlist.id, limit);
    return {
      status: 200,
      body: { object: "list", data: page.runs.map(presentRun), has_more: page.hasMore },
    };
  },
});
