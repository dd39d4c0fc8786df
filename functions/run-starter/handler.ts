import { resumeRun } from "../../shared/runs/resume-run.ts";
import { takeDue } from "../../shared/runs/take-due.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";
import { runMessage } from "./message.ts";

export function createHandler(environment: EnvironmentOf<"run-starter">): QueueHandler {
  const dependencies = {
    watchlists: provide.watchlists(environment),
    runs: provide.runs(environment),
    steps: provide.steps(environment),
    ledger: provide.ledger(environment),
    queue: provide.runQueue(environment),
    schedules: provide.schedules(environment),
    clock: provide.clock,
    chance: provide.chance,
  };
  return batchHandler({
    schema: runMessage,
    logger: provide.logger(environment, "run-starter"),
    async work(message) {
      const ref = { accountId: message.account_id, watchlistId: message.watchlist_id };
      if (message.type === "resume") {
        await resumeRun({ ...ref, runNumber: message.run_number }, dependencies);
        return done;
      }
      const run = await takeDue(
        {
          ...ref,
          scheduledTime: new Date(message.scheduled_time),
          now: provide.clock.now(),
        },
        dependencies,
      );
      if (run !== undefined) await resumeRun(run, dependencies);
      return done;
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("run-starter", process.env)),
);
