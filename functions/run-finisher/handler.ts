import * as deliveryStores from "../composition/delivery-stores.ts";
import * as provide from "../composition/process.ts";
import { finishMessage, toFinishMessage } from "../../shared/messages/finishes-queue.ts";
import { addWorkKeys, recordMetrics } from "../../shared/observability/work-log.ts";
import { finishRun } from "../../shared/runs/finish-run.ts";
import type { Run } from "../../shared/runs/run.ts";
import { publisher, snapshots } from "../composition/publishing.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { type Overrides, timeAndRandom } from "../composition/overrides.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";

/**
 * Creates the handler of the finishes queue, which ends runs and publishes their events.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"run-finisher">,
  overrides: Overrides = {},
): QueueHandler {
  const dependencies = {
    watchlists: stores.watchlists(environment, overrides),
    runs: stores.runs(environment, overrides),
    steps: stores.steps(environment, overrides),
    history: stores.history(environment, overrides),
    publisher: publisher(environment, overrides),
    endpoints: deliveryStores.endpoints(environment, overrides),
    pages: stores.pages(environment, overrides),
    snapshots: snapshots(environment, overrides),
    ...timeAndRandom(overrides),
    // Adds the run ID, which the message lacks, because operators search log lines by it.
    begins: ({ id }: Run) => addWorkKeys({ run_id: id }),
    report: recordMetrics,
  };
  return batchHandler({
    schema: finishMessage,
    logger: provide.logger(environment, "run-finisher"),
    clock: dependencies.clock,
    keys: toFinishMessage,
    async work(run, { deadline }) {
      await finishRun({ ...run, until: deadline }, dependencies);
      return done;
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("run-finisher", process.env)),
);
