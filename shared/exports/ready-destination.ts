import type { CustomerBucket } from "./customer-bucket.ts";
import type { Destination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { openBucket, type OpenBucketDependencies } from "./open-bucket.ts";

export interface ReadyDependencies extends OpenBucketDependencies {
  readonly destinations: Pick<DestinationStore, "get">;
}

/** The destination at the start of an attempt. */
export type ReadyDestination =
  /** The destination is disabled or deleted. */
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string; readonly destination: Destination }
  | {
      readonly outcome: "ready";
      readonly destination: Destination;
      readonly bucket: CustomerBucket;
    };

/** Why a destination receives nothing; null if it is enabled. */
export function destinationRefusal(destination: Destination | null): string | null {
  if (destination === null) return "destination_deleted";
  return destination.enabled ? null : "destination_disabled";
}

/** Opens a destination for a session. `ready` reads it before each attempt and signs in again after a change. */
export function openDestination(accountId: string, dependencies: ReadyDependencies) {
  let open: { readonly revision: string; readonly bucket: CustomerBucket } | null = null;
  const close = (): void => {
    open?.bucket.close();
    open = null;
  };
  return {
    close,
    async ready(): Promise<ReadyDestination> {
      const destination = await dependencies.destinations.get(accountId);
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
