import { requireUsable } from "./check-destination.ts";
import { noDestination, type Destination, newRevision } from "./destination.ts";
import type { DestinationPatch } from "./destination-body.ts";
import { endPending } from "./end-pending.ts";
import { requestRetry } from "./request-retry.ts";
import {
  type DestinationRequest,
  pathStyleByDefault,
  type SaveDestinationDependencies,
} from "./put-destination.ts";
import { untilSaved } from "./save-destination.ts";
import { storeAddress } from "./store-address.ts";
import { wantedCredentials } from "./wanted-credentials.ts";

type PatchRequest = DestinationRequest<DestinationPatch>;

/**
 * Changes the account's destination. A check object is written and deleted first when the change
 * says where or how to write, or enables it. Pending exports of an enabled destination are due at
 * once, also when nothing changes: a repeat of a call makes up for one that ended before that.
 * @throws 400 that names the field at fault or says which step failed; nothing is saved then.
 * @throws 404 NOT_FOUND without a destination.
 */
export async function changeDestination(
  request: PatchRequest,
  dependencies: SaveDestinationDependencies,
): Promise<Destination> {
  const { accountId, wanted, now, ownHost } = request;
  const { destinations } = dependencies;
  const endpoint =
    wanted.endpoint === undefined
      ? undefined
      : await storeAddress({ endpoint: wanted.endpoint, ownHost }, dependencies);
  const changed = await untilSaved(async () => {
    const before = await destinations.get(accountId);
    if (before === null) throw noDestination();
    const after = await changedBy(request, { before, endpoint }, dependencies);
    if (isSame(before, after)) return { before, after: before };
    const checked = needsCheck(before, after);
    if (checked) await requireUsable(accountId, after, dependencies);
    const from = { revision: before.revision, checked };
    const kept = await destinations.change(accountId, after, from);
    return kept === null ? null : { before, after: kept };
  });
  const { before, after } = changed;
  if (after.enabled) await requestRetry(accountId, now, dependencies);
  else if (before.enabled) await endPending(accountId, now, dependencies);
  return after;
}

async function changedBy(
  { accountId, wanted, now }: PatchRequest,
  known: { readonly before: Destination; readonly endpoint: string | null | undefined },
  { secrets, chance }: SaveDestinationDependencies,
): Promise<Destination> {
  const { before } = known;
  const endpoint = known.endpoint === undefined ? before.endpoint : known.endpoint;
  const bucket = wanted.bucket ?? before.bucket;
  const elsewhere = endpoint !== before.endpoint;
  const credentials = await wantedCredentials(
    {
      accountId,
      wanted,
      endpoint,
      before: before.credentials,
      moved: elsewhere || bucket !== before.bucket,
    },
    secrets,
  );
  const usualStyle = elsewhere ? pathStyleByDefault(endpoint) : before.forcePathStyle;
  return {
    ...before,
    enabled: wanted.enabled ?? before.enabled,
    bucket,
    region: wanted.region ?? before.region,
    endpoint,
    forcePathStyle: wanted.force_path_style ?? usualStyle,
    prefix: wanted.prefix ?? before.prefix,
    credentials,
    compression: wanted.compression ?? before.compression,
    revision: newRevision(chance),
    updatedAt: now.toISOString(),
  };
}

/** Where and how objects are written. A new secret is sealed anew, so it never looks the same. */
const wayOf = (destination: Destination): string => {
  const { bucket, region, endpoint, forcePathStyle, prefix, credentials } = destination;
  return JSON.stringify([bucket, region, endpoint, forcePathStyle, prefix, wordsOf(credentials)]);
};

const wordsOf = (credentials: Destination["credentials"]): readonly string[] =>
  credentials.auth === "role"
    ? [credentials.roleArn]
    : [credentials.accessKeyId, credentials.secretAccessKey];

const needsCheck = (before: Destination, after: Destination): boolean =>
  wayOf(before) !== wayOf(after) || (after.enabled && !before.enabled);

const isSame = (before: Destination, after: Destination): boolean =>
  wayOf(before) === wayOf(after) &&
  before.enabled === after.enabled &&
  before.compression === after.compression;
