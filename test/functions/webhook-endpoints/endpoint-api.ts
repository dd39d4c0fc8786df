import { Logger } from "@aws-lambda-powertools/logger";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { endpointRoutes } from "../../../functions/webhook-endpoints/handler.ts";
import type { EndpointDependencies } from "../../../functions/webhook-endpoints/dependencies.ts";
import type { DeliveryWorld } from "../../support/delivery-world.ts";
import { admittedAccounts, groupCaller } from "../../support/group-api.ts";

/**
 * Serves the webhook routes from the tables of a delivery world. `call` makes a call as the gateway
 * does. `warnings` contains the messages of the logged warnings.
 */
export function endpointApi(world: DeliveryWorld, replaced: Partial<EndpointDependencies> = {}) {
  const { registering, webhooks, outbox, publishing } = world;
  const warnings: string[] = [];
  const { accounts, keyOf } = admittedAccounts();
  const handler = groupHandler({
    group: "webhook-endpoints",
    routes: endpointRoutes,
    dependencies: {
      ...registering,
      deliveries: webhooks.deliveries,
      sender: webhooks.sender,
      outbox,
      queue: publishing.queue,
      warn: (message: string) => void warnings.push(message),
      logger: new Logger(),
      accounts,
      ...replaced,
    },
  });
  return { call: groupCaller(handler, keyOf), warnings };
}

export type EndpointApi = ReturnType<typeof endpointApi>;
