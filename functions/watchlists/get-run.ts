import type { UndefinedSchema } from "valibot";
import { runNotFound } from "../../shared/base/errors.ts";
import { presentRunDetail } from "../../shared/runs/held-changes.ts";
import { runQuery } from "../../shared/runs/queries.ts";
import { withProgress } from "../../shared/runs/run-progress.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { runOfPath } from "./run-of-path.ts";

/**
 * `GET /v1/watchlists/{id}/runs/{run_number}`. Returns one run. For a held run, also returns the
 * first changes that the brake counted, at most `limit` of them.
 */
export const getRunRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof runQuery
>({
  query: runQuery,
  async handle({ caller, path, query: { limit } }, dependencies) {
    const ref = await runOfPath({ caller, path }, dependencies);
    const { runs, steps } = dependencies;
    const run = await runs.get(ref);
    if (run === undefined) throw runNotFound(ref.runNumber);
    const shown = await withProgress(run, steps);
    return { status: 200, body: await presentRunDetail(shown, limit, dependencies) };
  },
});
