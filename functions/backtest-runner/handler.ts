import * as provide from "../composition/process.ts";
import { runBacktestJob } from "../../shared/backtest/run-backtest-job.ts";
import { backtestMessage, toBacktestMessage } from "../../shared/messages/backtests-queue.ts";
import { type Overrides, timeAndRandom } from "../composition/overrides.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";

/**
 * Creates the handler of the back-tests queue, which runs back-tests that are too large for a call.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"backtest-runner">,
  overrides: Overrides = {},
): QueueHandler {
  const dependencies = {
    watchlists: stores.watchlists(environment, overrides),
    pages: stores.pages(environment, overrides),
    runs: stores.runs(environment, overrides),
    history: stores.history(environment, overrides),
    backtests: stores.backtests(environment, overrides),
    ...timeAndRandom(overrides),
  };
  return batchHandler({
    schema: backtestMessage,
    logger: provide.logger(environment, "backtest-runner"),
    clock: dependencies.clock,
    keys: toBacktestMessage,
    async work(ref, { deadline }) {
      await runBacktestJob({ ref, until: deadline }, dependencies);
      return done;
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("backtest-runner", process.env)),
);
