import type { DeliveriesReader } from "../readers/deliveries.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { ExportStore } from "../../../shared/exports/export-store.ts";
import type { DeliveryStore } from "../../../shared/webhooks/delivery-store.ts";
import type { EndpointLookup } from "../../../shared/webhooks/endpoint-store.ts";
import type { EndedRun } from "../rules/delivery.ts";

export interface DeliveriesDependencies {
  readonly rows: DeliveriesReader;
  readonly endpoints: EndpointLookup;
  readonly deliveries: Pick<DeliveryStore, "list" | "get" | "getMany">;
  readonly exports: Pick<ExportStore, "list" | "get">;
  readonly clock: Clock;
}

/** An account whose endpoints, pending deliveries, exports and feed are checked. */
export interface PublishingAccount {
  readonly id: string;
  /** The time of the account's creation (ISO 8601). */
  readonly openedAt: string;
  /** The finished runs of its watchlists; absent if the watchlists were not read. */
  readonly ended?: readonly EndedRun[];
}
