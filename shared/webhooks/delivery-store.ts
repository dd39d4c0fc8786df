import type { EventType } from "../events/event.ts";
import type { Delivery, DeliveryState } from "./delivery.ts";

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly eventType?: EventType;
  readonly watchlistId?: string;
  /** Only events created at this ISO time or later. */
  readonly since?: string;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Last ID of the page; null if it is the last page. A page may have fewer entries than `limit`. */
  readonly lastId: string | null;
}

/** Stores the delivery log: the deliveries of an account by ID, kept for 30 days. */
export interface DeliveryStore {
  get(accountId: string, id: string): Promise<Delivery | null>;
  /** Reads up to 100 deliveries. Returns the existing ones by ID. */
  getMany(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Delivery>>;
  /** Lists deliveries, newest first; `before` is exclusive. Reads a bounded number of rows. */
  list(
    accountId: string,
    wanted: {
      readonly limit: number;
      readonly before: string | null;
      readonly filter: DeliveryFilter;
    },
  ): Promise<DeliveryPage>;
  /** Stores a test delivery, which has no outbox entry. */
  put(accountId: string, delivery: Delivery): Promise<void>;
  /**
   * Marks a delivery as requested and adds it to its endpoint's outbox, due now, in one transaction.
   * False if a redelivery is already pending or the log does not have the delivery.
   */
  requestRedelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
  /** Like `requestRedelivery`, also for a delivery that is not in the log yet. */
  requestDelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
}
