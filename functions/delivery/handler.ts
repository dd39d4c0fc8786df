import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import type { Overrides } from "../overrides.ts";
import { batchHandler, type QueueHandler } from "../queue/batch-handler.ts";
import { deliver } from "./deliver.ts";
import { deliveryMessage } from "./message.ts";

export function createHandler(
  environment: EnvironmentOf<"delivery">,
  overrides: Overrides = {},
): QueueHandler {
  const dependencies = provide.delivery(environment, overrides);
  return batchHandler({
    schema: deliveryMessage,
    logger: provide.logger(environment, "delivery"),
    work: (message) => deliver(message, dependencies),
    postpone: provide.postpone(environment.DELIVERIES_QUEUE_URL),
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("delivery", process.env)),
);
