import type { RandomSource } from "../base/clock.ts";
import { invalidParam } from "../base/errors.ts";
import type { CustomerBucket } from "./customer-bucket.ts";
import { type Destination, externalIdOf } from "./destination.ts";
import { type CheckFailure, faultOf } from "./destination-fault.ts";
import { absentKey, checkKey } from "./object-key.ts";
import { openBucket, type OpenBucketDependencies } from "./open-bucket.ts";

export type CheckOutcome = { readonly outcome: "usable" } | CheckFailure;

export interface CheckDestinationDependencies extends OpenBucketDependencies {
  readonly random: RandomSource;
}

/**
 * Checks whether exports can be written to a destination: writes and deletes a check object, and
 * looks up a key that was never written. For a destination with a role, first assumes the role, and
 * checks that the role requires the external ID of the account. The access key or role needs only
 * `s3:PutObject` and `s3:DeleteObject`. A failed check is a result, not an exception.
 */
export async function checkDestination(
  accountId: string,
  destination: Destination,
  dependencies: CheckDestinationDependencies,
): Promise<CheckOutcome> {
  const [opened, isOpenToAllAccounts] = await Promise.all([
    openBucket(accountId, destination, dependencies),
    acceptsAnyExternalId(accountId, destination, dependencies),
  ]);
  if (opened.outcome === "failed") return { ...opened, step: "sign_in" };
  const { bucket } = opened;
  try {
    return isOpenToAllAccounts
      ? { outcome: "failed", step: "sign_in", reason: "external_id_not_asked_for" }
      : await checkBucket(bucket, destination, dependencies);
  } finally {
    bucket.close();
  }
}

/** Writes and deletes the check object, and looks up a key that was never written. */
async function checkBucket(
  bucket: CustomerBucket,
  { prefix }: Destination,
  { random }: Pick<CheckDestinationDependencies, "random">,
): Promise<CheckOutcome> {
  const key = checkKey(prefix);
  const bytes = Buffer.from("This object may be deleted.\n");
  const written = await bucket.put({ key, bytes, contentType: "text/plain" });
  if (written.outcome === "failed") return { ...written, step: "write" };
  const [deleted, absent] = await Promise.all([
    bucket.delete(key),
    bucket.find(absentKey(prefix, random)),
  ]);
  // A server that reports that a key exists, although it was never written, accepts any request and
  // is not an object store. A store reports that the object is absent, or denies access if the
  // credentials permit no reads.
  if (absent.outcome === "found") {
    return { outcome: "failed", step: "look_up", reason: "no_object_store" };
  }
  return deleted.outcome === "failed" ? { ...deleted, step: "delete" } : { outcome: "usable" };
}

/**
 * Returns true if a role can be assumed with an external ID that does not belong to the account.
 * Every account of this service could use such a role. The check also prevents an account from
 * using a role of the service itself.
 */
async function acceptsAnyExternalId(
  accountId: string,
  { credentials, region }: Destination,
  { roles }: OpenBucketDependencies,
): Promise<boolean> {
  if (credentials.auth !== "role") return false;
  const externalId = externalIdOf(`nobody/${accountId}`);
  const assumed = await roles.assume({ roleArn: credentials.roleArn, externalId, region });
  // Only AccessDenied proves that the role requires the external ID of the account.
  return assumed.outcome === "assumed" || assumed.reason !== "AccessDenied";
}

/**
 * Checks a destination before it is saved, and throws if the check fails.
 * @throws 400 that names the field to change, the failed step and the remedy
 */
export async function requireUsable(
  accountId: string,
  destination: Destination,
  dependencies: CheckDestinationDependencies,
): Promise<void> {
  const checked = await checkDestination(accountId, destination, dependencies);
  if (checked.outcome === "usable") return;
  const { param, message } = faultOf(accountId, destination, checked);
  throw invalidParam(param, `${message} Nothing was saved.`);
}
