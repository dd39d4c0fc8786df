import { invalidParam } from "../base/errors.ts";
import type { SecretBox } from "../base/secret-box.ts";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import { requirePublicUrl } from "../outgoing/public-url.ts";
import type { Resolver } from "../outgoing/resolver.ts";
import type { CustomerBucket, CustomerBuckets } from "./customer-bucket.ts";
import {
  type Destination,
  type DestinationBody,
  destinationSecretContext,
  keyHint,
} from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { checkKey } from "./object-key.ts";

export interface PutDestinationDependencies {
  readonly destinations: DestinationStore;
  readonly buckets: CustomerBuckets;
  readonly secrets: SecretBox;
  readonly resolver: Resolver;
  readonly policy: AddressPolicy;
}

export interface DestinationRequest {
  readonly accountId: string;
  readonly wanted: DestinationBody;
  readonly now: Date;
  /** `host[:port]` of this service, which is no bucket. */
  readonly ownHost: string | null;
}

export interface PutDestination {
  readonly destination: Destination;
  readonly outcome: "created" | "replaced";
}

/**
 * Sets the account's destination after writing and deleting a check object in it.
 * @throws 400 that says which step failed; nothing is saved then.
 */
export async function putDestination(
  request: DestinationRequest,
  dependencies: PutDestinationDependencies,
): Promise<PutDestination> {
  const { accountId, wanted, now } = request;
  const { destinations, buckets, secrets } = dependencies;
  const secretAccessKey = wanted.secret_access_key;
  const endpoint = await storeAddress(request, dependencies);
  const before = await destinations.get(accountId);
  const destination: Destination = {
    enabled: wanted.enabled,
    bucket: wanted.bucket,
    region: wanted.region,
    endpoint,
    // Few stores besides AWS serve a host name for every bucket.
    forcePathStyle: wanted.force_path_style ?? endpoint !== null,
    prefix: wanted.prefix,
    auth: wanted.auth,
    accessKeyId: wanted.access_key_id,
    secretAccessKey: await secrets.seal(secretAccessKey, destinationSecretContext(accountId)),
    secretHint: keyHint(secretAccessKey),
    compression: wanted.compression,
    failing: false,
    lastSuccessAt: null,
    lastError: null,
    createdAt: before?.createdAt ?? now.toISOString(),
    updatedAt: now.toISOString(),
  };
  await checkBucket(buckets.open({ ...destination, secretAccessKey }), destination.prefix);
  return { destination, outcome: await destinations.put(accountId, destination) };
}

async function storeAddress(
  { wanted, ownHost }: DestinationRequest,
  { policy, resolver }: PutDestinationDependencies,
): Promise<string | null> {
  if (wanted.endpoint === null) return null;
  const param = { param: "endpoint", value: wanted.endpoint };
  const href = await requirePublicUrl(param, { policy, ownHost }, resolver);
  const { pathname, search } = new URL(href);
  if (pathname !== "/" || search !== "") {
    throw invalidParam("endpoint", "'endpoint' must be an address without path and query.");
  }
  return href;
}

async function checkBucket(bucket: CustomerBucket, prefix: string): Promise<void> {
  const key = checkKey(prefix);
  const bytes = Buffer.from("This object may be deleted.\n");
  const written = await bucket.put({ key, bytes, contentType: "text/plain" });
  if (written.outcome === "failed") throw checkFailed("Writing", key, written.reason);
  const deleted = await bucket.delete(key);
  if (deleted.outcome === "failed") throw checkFailed("Deleting", key, deleted.reason);
}

const checkFailed = (step: string, key: string, reason: string) =>
  invalidParam(
    "bucket",
    `${step} the check object '${key}' in the bucket failed: ${reason}. Nothing was saved.`,
  );
