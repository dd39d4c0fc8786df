import type { Clock } from "../base/clock.ts";
import type { CustomerBucket } from "./customer-bucket.ts";
import type { Destination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { openBucket, type OpenBucketDependencies } from "./open-bucket.ts";

export interface ReadyDependencies extends OpenBucketDependencies {
  readonly destinations: Pick<DestinationStore, "get">;
  readonly clock: Clock;
}

const freshMs = 1_000;

/** The destination at the start of an attempt, and its bucket if it can be opened. */
export type ReadyDestination =
  /** The destination is disabled or deleted. `reason` is the error code. */
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string; readonly destination: Destination }
  | {
      readonly outcome: "ready";
      readonly destination: Destination;
      readonly bucket: CustomerBucket;
    };

/**
 * Returns the error code with which exports to a destination end: `destination_deleted` if it is
 * null, or `destination_disabled` if it is disabled. Returns null if it receives exports.
 */
export function destinationRefusal(destination: Destination | null): string | null {
  if (destination === null) return "destination_deleted";
  return destination.enabled ? null : "destination_disabled";
}

/**
 * Creates a session's access to the account's destination. The bucket stays open between exports.
 * - `current` reads the destination.
 * - `ready` returns the destination with its open bucket. It uses an enabled destination that was
 *   read less than a second ago, and reads any other destination again. It opens the bucket at the
 *   first call, and again after the destination has changed. If the destination is disabled or
 *   deleted, or its bucket cannot be opened, the result has the reason instead of a bucket.
 * - `close` closes the bucket.
 */
export function openDestination(accountId: string, dependencies: ReadyDependencies) {
  let open: { readonly revision: string; readonly bucket: CustomerBucket } | null = null;
  const close = (): void => {
    open?.bucket.close();
    open = null;
  };
  let lastRead: { readonly destination: Destination | null; readonly at: number } | null = null;
  const current = async (): Promise<Destination | null> => {
    const at = dependencies.clock.now().getTime();
    const destination = await dependencies.destinations.get(accountId);
    lastRead = { destination, at };
    return destination;
  };
  /**
   * Returns the destination as it was read at most one second ago. Reads a disabled or deleted one
   * again, so that exports start as soon as a client enables it.
   */
  const fresh = async (): Promise<Destination | null> => {
    const isFresh = lastRead !== null && dependencies.clock.now().getTime() - lastRead.at < freshMs;
    return isFresh && destinationRefusal(lastRead?.destination ?? null) === null
      ? (lastRead?.destination ?? null)
      : current();
  };
  return {
    close,
    current,
    async ready(): Promise<ReadyDestination> {
      const destination = await fresh();
      const reason = destinationRefusal(destination);
      if (destination === null || reason !== null) {
        return { outcome: "refused", reason: reason ?? "destination_deleted" };
      }
      if (open?.revision !== destination.revision) {
        close();
        const opened = await openBucket(accountId, destination, dependencies);
        if (opened.outcome === "failed") return { ...opened, destination };
        open = { revision: destination.revision, bucket: opened.bucket };
      }
      return { outcome: "ready", destination, bucket: open.bucket };
    },
  };
}
