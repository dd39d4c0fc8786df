import type { UndefinedSchema } from "valibot";
import { backtestBody, backtestDefaultDays } from "../../shared/backtest/backtest-request.ts";
import { presentBacktestJob } from "../../shared/backtest/backtest-job.ts";
import {
  startBacktest,
  type StartBacktestDependencies,
} from "../../shared/backtest/start-backtest.ts";
import { type ServiceError, unknownId } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import { historySpan } from "../../shared/history/history-span.ts";
import { route } from "../http/route.ts";
import { candidatePipeline } from "./candidate-pipeline.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

/**
 * `POST /v1/watchlists/{id}/backtest`. Returns the result of a back-test; for a large one, starts a
 * job and returns the job.
 */
export const backtestRoute = route<
  WatchlistDependencies & StartBacktestDependencies,
  typeof backtestBody
>({
  body: backtestBody,
  async handle({ body, caller, path, now }, dependencies) {
    const watchlist = await existingWatchlist(
      dependencies.watchlists,
      caller.accountId,
      path["id"],
    );
    const pipeline = candidatePipeline(body.pipeline, watchlist);
    const span = historySpan(body, { now, defaultDays: backtestDefaultDays });
    const started = await startBacktest({ watchlist, pipeline, span }, dependencies);
    return started.outcome === "tested"
      ? { status: 200, body: started.result }
      : { status: 202, body: presentBacktestJob(started.job, now) };
  },
});

const backtestNotFound = (id: string): ServiceError =>
  unknownId("Back-test", id, "Start one with POST /v1/watchlists/{id}/backtest.");

/**
 * `GET /v1/watchlists/{id}/backtests/{backtest_id}`. Returns the job of a large back-test, with its
 * progress or its result.
 */
export const getBacktestRoute = route<WatchlistDependencies, UndefinedSchema<undefined>>({
  async handle({ caller, path, now }, { watchlists, backtests }) {
    const { id: watchlistId } = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const id = path["backtest_id"] ?? "";
    const job = isId("backtest", id) ? await backtests.get({ watchlistId, id }) : undefined;
    if (job === undefined) throw backtestNotFound(id);
    return { status: 200, body: presentBacktestJob(job, now) };
  },
});
