/**
 * The S3 buckets of customers, and the IAM roles that give access to them.
 * The client loads at the first call of the port, so that a cold start does not wait for it.
 */
import type { CustomerBucket, CustomerBuckets } from "../../../shared/exports/customer-bucket.ts";
import type { RoleCredentials } from "../../../shared/exports/role-credentials.ts";
import { once } from "../clients.ts";
import { addressPolicyOf, type Overrides } from "../overrides.ts";

/**
 * Creates the port to customers' buckets. Its S3 client loads at the first call.
 * @param isCheck true for a check within an API call, which has short time limits
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function customerBuckets(
  overrides: Overrides,
  { isCheck }: { readonly isCheck: boolean },
): CustomerBuckets {
  if (overrides.buckets !== undefined) return overrides.buckets;
  const buckets = once(async () => {
    const { checkTimes, s3CustomerBuckets } =
      await import("../../../shared/aws/exports/customer-bucket.ts");
    const policy = addressPolicyOf(overrides);
    return s3CustomerBuckets({ policy, ...(isCheck && { times: checkTimes }) });
  });
  return { open: (access) => openedOnUse(async () => (await buckets()).open(access)) };
}

/** Returns a bucket that `open` opens at the first request. */
function openedOnUse(open: () => Promise<CustomerBucket>): CustomerBucket {
  let opened: CustomerBucket | undefined;
  const bucket = once(async () => (opened = await open()));
  return {
    put: async (object) => (await bucket()).put(object),
    find: async (key) => (await bucket()).find(key),
    delete: async (key) => (await bucket()).delete(key),
    close: () => opened?.close(),
  };
}

/**
 * Creates the port that assumes customers' roles with STS. Its client loads at the first call.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function roleCredentials(overrides: Overrides): RoleCredentials {
  if (overrides.roles !== undefined) return overrides.roles;
  const roles = once(async () =>
    (await import("../../../shared/aws/exports/role-credentials.ts")).stsRoleCredentials(),
  );
  return { assume: async (role) => (await roles()).assume(role) };
}
