import { readBatch } from "../../shared/runs/read-batch.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";
import { batchMessage } from "./message.ts";

export function createHandler(environment: EnvironmentOf<"run-step">): QueueHandler {
  const dependencies = {
    watchlists: provide.watchlists(environment),
    runs: provide.runs(environment),
    steps: provide.steps(environment),
    ledger: provide.ledger(environment),
    queue: provide.runQueue(environment),
    scraperFor: provide.scrapers(environment),
    clock: provide.clock,
  };
  return batchHandler({
    schema: batchMessage,
    logger: provide.logger(environment, "run-step"),
    async work(batch, deadline) {
      await readBatch(batch, deadline, dependencies);
      return done;
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("run-step", process.env)),
);
