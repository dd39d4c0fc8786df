/** Creates the dependencies of the routes for S3 destinations. */
import { type DeliveryTargetNeeds, destinations, exportLog } from "./delivery-stores.ts";
import { customerBuckets, roleCredentials } from "./on-first-use/customer-buckets.ts";
import type { Overrides } from "./overrides.ts";
import { deliveryTargetDependencies } from "./targets.ts";

/**
 * Creates the dependencies of the calls of `/v1/s3_destination`. Their time limits are short,
 * because a call checks the customer's bucket while the client waits.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const destinationDependencies = (
  environment: DeliveryTargetNeeds,
  overrides: Overrides,
) => ({
  ...deliveryTargetDependencies(environment, overrides),
  destinations: destinations(environment, overrides),
  exports: exportLog(environment, overrides),
  buckets: customerBuckets(overrides, { isCheck: true }),
  // The credentials are not cached. With cached credentials, a check of the destination would still
  // succeed after the customer has removed the service from the role's trust policy.
  roles: roleCredentials(overrides),
});
