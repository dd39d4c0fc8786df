import * as provide from "../composition/process.ts";
import { batchMessage } from "../../shared/messages/steps-queue.ts";
import { recordMetrics } from "../../shared/observability/work-log.ts";
import { readBatch } from "../../shared/runs/read-batch.ts";
import { readStep, type StepReadRequest } from "../../shared/runs/read-step.ts";
import { ledger } from "../composition/ledger.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { runQueue } from "../composition/queues.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { type Overrides, timeAndRandom } from "../composition/overrides.ts";
import { preloadSources, sources } from "../composition/sources.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";

/**
 * Creates the handler of the steps queue, which reads batches of items.
 * @param overrides replacements of dependencies, for tests and the local world
 * @throws Error if SOURCES is invalid
 */
export function createHandler(
  environment: EnvironmentOf<"run-step">,
  overrides: Overrides = {},
): QueueHandler {
  const stepSources = sources(environment, "run-step", overrides);
  const dependencies = {
    pages: stores.pages(environment, overrides),
    runs: stores.runs(environment, overrides),
    steps: stores.steps(environment, overrides),
    ledger: ledger(environment, "run-step", overrides),
    history: stores.history(environment, overrides),
    read: (request: StepReadRequest) => readStep(request, stepSources),
    ...timeAndRandom(overrides),
    report: recordMetrics,
  };
  return batchHandler({
    schema: batchMessage,
    logger: provide.logger(environment, "run-step"),
    clock: dependencies.clock,
    keys: ({ accountId, watchlistId, runNumber, runId, step, batch }) => ({
      account_id: accountId,
      watchlist_id: watchlistId,
      run_id: runId,
      run_number: runNumber,
      step,
      batch,
    }),
    async work({ hops, ...batch }, times) {
      const queue = runQueue(environment, overrides, hops + 1);
      await readBatch(batch, times, { ...dependencies, queue });
      return done;
    },
  });
}

await preloadSources(process.env["SOURCES"]);

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("run-step", process.env)),
);
