import * as deliveryStores from "../composition/delivery-stores.ts";
import * as provide from "../composition/process.ts";
import type { Context } from "aws-lambda";
import { newMetrics } from "../../shared/observability/metrics.ts";
import { withRetryBudget, workerRetryBudget } from "../../shared/base/retry-budget.ts";
import { endWork, newWork, recordMetrics, within } from "../../shared/observability/work-log.ts";
import { wakeDue } from "../../shared/outbox/wake-due.ts";
import { ledger } from "../composition/ledger.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { outboxQueue, runQueue } from "../composition/queues.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { clock, type Overrides } from "../composition/overrides.ts";
import { sweep } from "./sweep.ts";

export type SweeperHandler = (event: unknown, context: Context) => Promise<void>;

/**
 * Creates the handler that makes one pass of the sweeper.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"sweeper">,
  overrides: Overrides = {},
): SweeperHandler {
  const logger = provide.logger(environment, "sweeper");
  const deliveries = {
    targets: deliveryStores.dueTargets(environment, overrides),
    queue: outboxQueue(environment, overrides),
  };
  const dependencies = {
    ledger: ledger(environment, "sweeper", overrides),
    watchlists: stores.watchlists(environment, overrides),
    purges: stores.purges(environment, overrides),
    runs: stores.runs(environment, overrides),
    queue: runQueue(environment, overrides),
    wakeDeliveries: (wanted: { now: Date; limit: number }) => wakeDue(wanted, deliveries),
    clock: clock(overrides),
    warn: provide.warnTo(logger),
  };
  return (_event, context) =>
    within(newWork({ invocation_id: context.awsRequestId }), async () => {
      const startedAt = dependencies.clock.now().getTime();
      const retries = workerRetryBudget(dependencies.clock, context);
      const swept = await withRetryBudget(retries, () => sweep(dependencies));
      const { watchlists, runs, purges, holds, deliveries: woken, failures } = swept;
      const metrics = newMetrics(
        "sweeps",
        {},
        {
          sweeps: 1,
          sweep_failures: failures,
          swept_lists: watchlists,
          swept_runs: runs,
          swept_purges: purges,
          swept_holds: holds,
          swept_deliveries: woken,
        },
      );
      recordMetrics([metrics]);
      const durationMs = dependencies.clock.now().getTime() - startedAt;
      endWork((text, line) => logger.info(text, line), "swept", { duration_ms: durationMs });
    });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("sweeper", process.env)),
);
