import * as provide from "../composition/process.ts";
import { deliveryMessage, toDeliveryMessage } from "../../shared/messages/deliveries-queue.ts";
import { deliveryDependencies } from "../composition/delivery.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { clock, type Overrides } from "../composition/overrides.ts";
import { batchHandler, done, type QueueHandler } from "../queue/batch-handler.ts";
import { deliver } from "./deliver.ts";
import { logRunOfEntry } from "./log-run.ts";

/**
 * Creates the handler of the deliveries queue, which delivers webhooks, writes exports, and sends
 * events to the bus.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"delivery">,
  overrides: Overrides = {},
): QueueHandler {
  const { webhooks, exports, bus } = deliveryDependencies(environment, overrides);
  const dependencies = {
    webhooks: { ...webhooks, begins: logRunOfEntry },
    exports: { ...exports, begins: logRunOfEntry },
    bus: { ...bus, begins: logRunOfEntry },
  };
  return batchHandler({
    schema: deliveryMessage,
    logger: provide.logger(environment, "delivery"),
    clock: clock(overrides),
    keys: toDeliveryMessage,
    async work(target) {
      await deliver(target, dependencies);
      return done;
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("delivery", process.env)),
);
