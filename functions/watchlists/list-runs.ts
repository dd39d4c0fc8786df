import * as v from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { presentRun } from "../../shared/runs/present-run.ts";
import { route } from "../http/route.ts";
import { existing } from "./existing.ts";
import type { WatchlistDependencies } from "./handler.ts";
import { limitParam } from "./query.ts";

const query = v.object({ limit: limitParam(limits.pagination.runs) });

export const listRunsRoute = route<
  WatchlistDependencies,
  v.UndefinedSchema<undefined>,
  typeof query
>({
  query,
  async handle({ caller, path, query: { limit } }, { watchlists, runs }) {
    const watchlist = await existing(watchlists, caller.accountId, path["id"]);
    const page = await runs.list(watchlist.id, limit);
    return {
      status: 200,
      body: { object: "list", data: page.runs.map(presentRun), has_more: page.hasMore },
    };
  },
});
