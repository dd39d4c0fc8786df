import { readBatch } from "../../shared/runs/read-batch.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import type { Overrides } from "../overrides.ts";
import { sources } from "../source-dependencies.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";
import { batchMessage } from "./message.ts";

export function createHandler(
  environment: EnvironmentOf<"run-step">,
  overrides: Overrides = {},
): QueueHandler {
  const dependencies = {
    pages: provide.pages(environment),
    runs: provide.runs(environment),
    steps: provide.steps(environment),
    ledger: provide.ledger(environment),
    sources: overrides.sources ?? sources(environment, "run-step", overrides),
    clock: provide.clock,
    chance: provide.chance,
  };
  return batchHandler({
    schema: batchMessage,
    logger: provide.logger(environment, "run-step"),
    async work({ hops, ...batch }, deadline) {
      const queue = provide.runQueue(environment, hops + 1);
      await readBatch(batch, deadline, { ...dependencies, queue });
      return done;
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("run-step", process.env)),
);
