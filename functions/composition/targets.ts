/** Creates the dependencies that the routes for webhook endpoints and S3 destinations share. */
import { dynamoPendingWork } from "../../shared/aws/deliveries/pending-work.ts";
import { dynamoProbeCounter } from "../../shared/aws/deliveries/probe-counter.ts";
import { hostResolver } from "../../shared/outgoing/host-resolver.ts";
import { deliveriesTable, type DeliveryTargetNeeds, outbox } from "./delivery-stores.ts";
import { dynamo } from "./process.ts";
import { outboxQueue } from "./on-first-use/queues.ts";
import { secretBox } from "./on-first-use/secret-box.ts";
import { addressPolicyOf, type Overrides, timeAndRandom } from "./overrides.ts";

/**
 * Creates the dependencies of the routes that change a delivery target: a webhook endpoint or an S3
 * destination.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const deliveryTargetDependencies = (
  environment: DeliveryTargetNeeds,
  overrides: Overrides,
) => ({
  secrets: secretBox(environment, overrides),
  resolver: overrides.resolver ?? hostResolver(),
  policy: addressPolicyOf(overrides),
  pending: dynamoPendingWork(dynamo(overrides), environment.DELIVERIES_TABLE),
  probes: dynamoProbeCounter(dynamo(overrides), deliveriesTable(environment, overrides)),
  outbox: outbox(environment, overrides),
  queue: outboxQueue(environment, overrides),
  ...timeAndRandom(overrides),
});
