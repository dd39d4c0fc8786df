import { finishMessage, toFinishMessage } from "../../shared/messages/finishes-queue.ts";
import { addWorkKeys, recordMetrics } from "../../shared/observability/work-log.ts";
import { finishRun } from "../../shared/runs/finish-run.ts";
import type { Run } from "../../shared/runs/run.ts";
import * as provide from "../composition/dependencies.ts";
import { publisher, snapshots } from "../composition/publishing.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import type { Overrides } from "../composition/overrides.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";

/**
 * Creates the handler of the finishes queue, which ends runs and publishes their events.
 * @param overrides dependencies that tests replace
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
    endpoints: provide.endpoints(environment, overrides),
    pages: stores.pages(environment, overrides),
    snapshots: snapshots(environment, overrides),
    ...provide.timeAndRandom(overrides),
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
