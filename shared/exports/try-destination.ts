import type { Clock } from "../base/clock.ts";
import { checkDestination } from "./check-destination.ts";
import { noDestination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { OpenBucketDependencies } from "./open-bucket.ts";

export interface TryDestinationDependencies extends OpenBucketDependencies {
  readonly destinations: Pick<DestinationStore, "get" | "report">;
  readonly clock: Clock;
}

export interface DestinationTrial {
  readonly ok: boolean;
  /** Why it did not work; null when it did. */
  readonly error: string | null;
  readonly durationMs: number;
}

/**
 * Writes and deletes a check object in the account's destination, enabled or not, and notes what
 * came of it.
 * @throws 404 NOT_FOUND without a destination.
 */
export async function tryDestination(
  accountId: string,
  dependencies: TryDestinationDependencies,
): Promise<DestinationTrial> {
  const { destinations, clock } = dependencies;
  const destination = await destinations.get(accountId);
  if (destination === null) throw noDestination();
  const begun = clock.now().getTime();
  const checked = await checkDestination(accountId, destination, dependencies);
  const durationMs = clock.now().getTime() - begun;
  const error = checked.outcome === "failed" ? checked.reason : null;
  await destinations.report(
    accountId,
    destination.revision,
    error === null ? { outcome: "usable" } : { outcome: "failed", error, givenUp: false },
  );
  return { ok: error === null, error, durationMs };
}
