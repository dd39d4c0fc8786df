import type { SecretBox } from "../base/secret-box.ts";
import type { CustomerBucket, CustomerBuckets } from "./customer-bucket.ts";
import { type Destination, destinationSecretContext, externalIdOf } from "./destination.ts";
import type { RoleCredentials } from "./role-credentials.ts";

export interface OpenBucketDependencies {
  readonly buckets: CustomerBuckets;
  readonly roles: RoleCredentials;
  readonly secrets: SecretBox;
}

/** The result of opening a bucket. */
export type OpenedBucket =
  | { readonly outcome: "opened"; readonly bucket: CustomerBucket }
  /** The role could not be assumed. `reason` is the error code. */
  | { readonly outcome: "failed"; readonly reason: string };

/**
 * Opens the bucket of a destination, with its access key or role. Sends no request to the bucket.
 * The caller must close the bucket. If the role cannot be assumed, returns the outcome `failed` and
 * does not throw.
 * @throws errors of the service itself, such as a failed decryption of the secret
 */
export async function openBucket(
  accountId: string,
  { credentials, bucket, region, endpoint, forcePathStyle }: Destination,
  { buckets, roles, secrets }: OpenBucketDependencies,
): Promise<OpenedBucket> {
  const place = { bucket, region, endpoint, forcePathStyle };
  if (credentials.auth === "access_key") {
    const { accessKeyId, secretAccessKey: sealed } = credentials;
    const secretAccessKey = await secrets.open(sealed, destinationSecretContext(accountId));
    const access = { ...place, accessKeyId, secretAccessKey };
    return { outcome: "opened", bucket: buckets.open(access) };
  }
  const { roleArn } = credentials;
  const assumed = await roles.assume({ roleArn, externalId: externalIdOf(accountId), region });
  if (assumed.outcome === "failed") return assumed;
  const { accessKeyId, secretAccessKey, sessionToken } = assumed.credentials;
  const access = { ...place, accessKeyId, secretAccessKey, sessionToken };
  return { outcome: "opened", bucket: buckets.open(access) };
}
