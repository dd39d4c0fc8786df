import type { Context } from "aws-lambda";
import { wakeDue } from "../../shared/outbox/wake-due.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { sweep } from "./sweep.ts";

export type SweeperHandler = (event: unknown, context: Context) => Promise<void>;

export function createHandler(environment: EnvironmentOf<"sweeper">): SweeperHandler {
  const logger = provide.logger(environment, "sweeper");
  const deliveries = {
    targets: provide.dueTargets(environment),
    queue: provide.outboxQueue(environment),
  };
  const dependencies = {
    ledger: provide.ledger(environment),
    watchlists: provide.watchlists(environment),
    purges: provide.purges(environment),
    runs: provide.runs(environment),
    queue: provide.runQueue(environment),
    wakeDeliveries: (wanted: { now: Date; limit: number }) => wakeDue(wanted, deliveries),
    clock: provide.clock,
    warn: provide.warnThrough(logger),
  };
  return async () => {
    const swept = await sweep(dependencies);
    if (Object.values(swept).some((count) => count > 0)) logger.info("swept", { ...swept });
  };
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("sweeper", process.env)),
);
