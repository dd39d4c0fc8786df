import { backtest } from "../../shared/backtest/backtest.ts";
import { backtestBody, backtestDefaultDays } from "../../shared/backtest/backtest-request.ts";
import { presentBacktest } from "../../shared/backtest/present-backtest.ts";
import { historySpan } from "../../shared/history/history-span.ts";
import { route } from "../http/route.ts";
import { candidatePipeline } from "./candidate-pipeline.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

/** `POST /v1/watchlists/{id}/backtest` */
export const backtestRoute = route<WatchlistDependencies, typeof backtestBody>({
  body: backtestBody,
  async handle({ body, caller, path, now }, dependencies) {
    const watchlist = await existingWatchlist(
      dependencies.watchlists,
      caller.accountId,
      path["id"],
    );
    const pipeline = candidatePipeline(body.pipeline, watchlist);
    const span = historySpan(body, { now, defaultDays: backtestDefaultDays });
    const tested = await backtest({ watchlist, pipeline, span }, dependencies);
    return { status: 200, body: presentBacktest(watchlist.id, pipeline, tested) };
  },
});
