import { conflict } from "../base/errors.ts";
import { type ChangeRepeats, endAttempt, lost, repeatChange } from "../base/repeat-change.ts";
import { endPending, type EndPendingDependencies } from "../outbox/end-pending.ts";
import { destinationTarget } from "../outbox/outbox.ts";
import { type Destination, newRevision } from "./destination.ts";
import type { DestinationBody } from "./destination-body.ts";
import { type CheckDestinationDependencies, requireUsable } from "./check-destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { requestRetry, type RequestRetryDependencies } from "./request-retry.ts";
import { storeAddress, type StoreAddressDependencies } from "./store-address.ts";
import type { OwnAddresses } from "../outgoing/url.ts";
import { credentialsAfterChange } from "./wanted-credentials.ts";

/**
 * How often a conditional change of the destination is attempted, and the error after the last
 * attempt.
 */
export const destinationRepeats: ChangeRepeats = {
  triesMax: 5,
  exhausted: () =>
    conflict("Other calls are changing the S3 destination, so nothing was saved. Repeat the call."),
};

export interface SaveDestinationDependencies
  extends
    CheckDestinationDependencies,
    StoreAddressDependencies,
    EndPendingDependencies,
    RequestRetryDependencies {
  readonly outbox: EndPendingDependencies["outbox"] & RequestRetryDependencies["outbox"];
  readonly destinations: DestinationStore;
}

/** A request to create, replace or change an S3 destination. */
export interface DestinationRequest<Wanted> {
  readonly accountId: string;
  readonly wanted: Wanted;
  readonly now: Date;
  /** The addresses of this service. The endpoint of a store must not be one of them. */
  readonly own: OwnAddresses;
}

export interface PutDestination {
  readonly destination: Destination;
  readonly outcome: "created" | "replaced";
}

/**
 * Creates or replaces the account's S3 destination, after writing and deleting a check object
 * there. Returns the destination, and whether it was created or replaced. If a destination is
 * replaced, the pending exports become due immediately. If the new destination is disabled, they
 * end without an attempt.
 * @throws 400 that names the invalid field or the failed step of the check (nothing is saved); 409
 * CONFLICT after too many concurrent changes
 */
export async function putDestination(
  request: DestinationRequest<DestinationBody>,
  dependencies: SaveDestinationDependencies,
): Promise<PutDestination> {
  const { accountId, wanted, now, own } = request;
  const { destinations, secrets, random } = dependencies;
  const endpoint = await storeAddress({ endpoint: wanted.endpoint, own }, dependencies);
  const credentials = await credentialsAfterChange(
    { accountId, wanted, endpoint, before: null, placeChanged: true },
    secrets,
  );
  const fresh: Destination = {
    enabled: wanted.enabled,
    bucket: wanted.bucket,
    region: wanted.region,
    endpoint,
    forcePathStyle: wanted.force_path_style ?? pathStyleByDefault(endpoint),
    prefix: wanted.prefix,
    credentials,
    compression: wanted.compression,
    rows: wanted.rows,
    snapshot: wanted.snapshot,
    failuresInRow: 0,
    lastSuccessAt: null,
    lastError: null,
    revision: newRevision(random),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  await requireUsable(accountId, fresh, dependencies);
  const saved = await repeatChange(async () => {
    const before = await destinations.get(accountId);
    const destination = { ...fresh, createdAt: before?.createdAt ?? fresh.createdAt };
    const isStored = await destinations.put(accountId, destination, before?.revision ?? null);
    return isStored ? endAttempt({ destination, before }) : lost;
  }, destinationRepeats);
  const { destination, before } = saved;
  if (before !== null) {
    await (fresh.enabled
      ? requestRetry(accountId, now, dependencies)
      : endPending(destinationTarget(accountId), now, dependencies));
  }
  return { destination, outcome: before === null ? "created" : "replaced" };
}

/**
 * Returns the default of `force_path_style` for the address of a store. It is true except for AWS
 * (null), because most other stores have no host name per bucket.
 */
export const pathStyleByDefault = (endpoint: string | null): boolean => endpoint !== null;
