import type { Context } from "aws-lambda";
import { sweepDeliveries } from "../../shared/webhooks/sweep-deliveries.ts";
import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { sweep } from "./sweep.ts";

export type SweeperHandler = (event: unknown, context: Context) => Promise<void>;

export function createHandler(environment: EnvironmentOf<"sweeper">): SweeperHandler {
  const logger = provide.logger(environment, "sweeper");
  const deliveries = {
    work: provide.dueWork(environment),
    queue: provide.deliveryQueue(environment),
  };
  const dependencies = {
    ledger: provide.ledger(environment),
    watchlists: provide.watchlists(environment),
    purges: provide.purges(environment),
    runs: provide.runs(environment),
    queue: provide.runQueue(environment),
    wakeDeliveries: (wanted: { now: Date; limit: number }) => sweepDeliveries(wanted, deliveries),
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
