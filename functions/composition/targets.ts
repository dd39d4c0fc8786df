/** The composition root of the routes for webhook endpoints and for S3 destinations. */
import { dynamoPendingWork } from "../../shared/aws/deliveries/pending-work.ts";
import { dynamoProbeCounter } from "../../shared/aws/deliveries/probe-counter.ts";
import { hostResolver } from "../../shared/outgoing/host-resolver.ts";
import { deliveriesTable, type DeliveryTargetNeeds, dynamo, outbox } from "./dependencies.ts";
import { outboxQueue } from "./on-first-use/queues.ts";
import { secretBox } from "./on-first-use/secret-box.ts";
import { addressPolicyOf, type Overrides, timeAndRandom } from "./overrides.ts";

/**
 * Creates the dependencies of the routes that change a delivery target: a webhook endpoint or an S3
 * destination.
 * @param overrides dependencies that tests replace
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
