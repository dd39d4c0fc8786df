/** Creates the dependencies of the routes for webhook endpoints. */
import { dynamoTargetStates } from "../../shared/aws/deliveries/target-states.ts";
import type { Needs } from "../environment.ts";
import { deliveries, type DeliveryTargetNeeds, endpointStore } from "./delivery-stores.ts";
import { dynamo } from "./process.ts";
import { sender } from "./sender.ts";
import { eventBodies } from "./on-first-use/event-bodies.ts";
import type { Overrides } from "./overrides.ts";
import { deliveryTargetDependencies } from "./targets.ts";

/**
 * Creates the dependencies of the routes for webhook endpoints and deliveries.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const endpointDependencies = (
  environment: DeliveryTargetNeeds & Needs<"EVENTS_BUCKET">,
  overrides: Overrides,
) => ({
  ...deliveryTargetDependencies(environment, overrides),
  bodies: eventBodies(environment, overrides),
  endpoints: endpointStore(environment, overrides),
  states: dynamoTargetStates(dynamo(overrides), environment.DELIVERIES_TABLE),
  deliveries: deliveries(environment, overrides),
  sender: sender(overrides),
});
