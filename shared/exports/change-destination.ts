import { endAttempt, lost, repeatChange } from "../base/repeat-change.ts";
import { endPending } from "../outbox/end-pending.ts";
import { destinationTarget } from "../outbox/outbox.ts";
import { requireUsable } from "./check-destination.ts";
import { noDestination, type Destination, newRevision } from "./destination.ts";
import type { DestinationPatch } from "./destination-body.ts";
import { requestRetry } from "./request-retry.ts";
import {
  destinationRepeats,
  type DestinationRequest,
  pathStyleByDefault,
  type SaveDestinationDependencies,
} from "./put-destination.ts";
import { storeAddress } from "./store-address.ts";
import { credentialsAfterChange } from "./wanted-credentials.ts";

type PatchRequest = DestinationRequest<DestinationPatch>;

/**
 * Changes the account's S3 destination and returns it. First writes and deletes a check object, if
 * the place (bucket, address or prefix) or the credentials change, or if the destination is enabled
 * again. If the destination is enabled, its pending exports become due immediately. This also
 * happens if nothing changed, because an earlier call may have failed after its write. If this call
 * disables the destination, the delivery worker ends its pending exports without an attempt.
 * @throws 400 that names the invalid field or the failed step of the check (nothing is saved); 404
 * NOT_FOUND if the account has no destination; 409 CONFLICT after too many concurrent changes
 */
export async function changeDestination(
  request: PatchRequest,
  dependencies: SaveDestinationDependencies,
): Promise<Destination> {
  const { accountId, wanted, now, own } = request;
  const { destinations } = dependencies;
  const endpoint =
    wanted.endpoint === undefined
      ? undefined
      : await storeAddress({ endpoint: wanted.endpoint, own }, dependencies);
  const { before, after } = await repeatChange(async () => {
    const stored = await destinations.get(accountId);
    if (stored === null) throw noDestination();
    const wantedState = await changedBy(request, { before: stored, endpoint }, dependencies);
    if (isSame(stored, wantedState)) return endAttempt({ before: stored, after: stored });
    const checked = needsCheck(stored, wantedState);
    if (checked) await requireUsable(accountId, wantedState, dependencies);
    const from = { revision: stored.revision, checked };
    const storedDestination = await destinations.change(accountId, wantedState, from);
    return storedDestination === null
      ? lost
      : endAttempt({ before: stored, after: storedDestination });
  }, destinationRepeats);
  if (after.enabled) await requestRetry(accountId, now, dependencies);
  else if (before.enabled) await endPending(destinationTarget(accountId), now, dependencies);
  return after;
}

/**
 * Returns the destination after the requested change. Fields that the request omits keep their
 * values.
 */
async function changedBy(
  { accountId, wanted, now }: PatchRequest,
  known: { readonly before: Destination; readonly endpoint: string | null | undefined },
  { secrets, random }: SaveDestinationDependencies,
): Promise<Destination> {
  const { before } = known;
  const endpoint = known.endpoint === undefined ? before.endpoint : known.endpoint;
  const bucket = wanted.bucket ?? before.bucket;
  const isNewEndpoint = endpoint !== before.endpoint;
  const credentials = await credentialsAfterChange(
    {
      accountId,
      wanted,
      endpoint,
      before: before.credentials,
      placeChanged: isNewEndpoint || bucket !== before.bucket,
    },
    secrets,
  );
  const defaultPathStyle = isNewEndpoint ? pathStyleByDefault(endpoint) : before.forcePathStyle;
  return {
    ...before,
    enabled: wanted.enabled ?? before.enabled,
    bucket,
    region: wanted.region ?? before.region,
    endpoint,
    forcePathStyle: wanted.force_path_style ?? defaultPathStyle,
    prefix: wanted.prefix ?? before.prefix,
    credentials,
    compression: wanted.compression ?? before.compression,
    rows: wanted.rows ?? before.rows,
    snapshot: wanted.snapshot ?? before.snapshot,
    revision: newRevision(random),
    updatedAt: now.toISOString(),
  };
}

/**
 * Returns the settings that a check covers, as a string to compare. A secret that is sent again
 * changes the string, because it is encrypted again.
 */
const checkedSettings = (destination: Destination): string => {
  const { bucket, region, endpoint, forcePathStyle, prefix, credentials } = destination;
  return JSON.stringify([
    bucket,
    region,
    endpoint,
    forcePathStyle,
    prefix,
    credentialParts(credentials),
  ]);
};

const credentialParts = (credentials: Destination["credentials"]): readonly string[] =>
  credentials.auth === "role"
    ? [credentials.roleArn]
    : [credentials.accessKeyId, credentials.secretAccessKey];

const needsCheck = (before: Destination, after: Destination): boolean =>
  checkedSettings(before) !== checkedSettings(after) || (after.enabled && !before.enabled);

const isSame = (before: Destination, after: Destination): boolean =>
  checkedSettings(before) === checkedSettings(after) &&
  before.enabled === after.enabled &&
  before.compression === after.compression &&
  before.rows === after.rows &&
  before.snapshot === after.snapshot;
