import type { EventType } from "../events/event.ts";
import type { Delivery, DeliveryState } from "./delivery.ts";

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly eventType?: EventType;
  readonly watchlistId?: string;
  /** Events that happened at this ISO time or later. */
  readonly since?: string;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Where the page ended; null when there are no more. A page may end before it is full. */
  readonly lastId: string | null;
}

/** The delivery log: every delivery of an account by id, kept for 30 days. */
export interface DeliveryStore {
  get(accountId: string, id: string): Promise<Delivery | null>;
  /** Those of up to 100 deliveries that exist, by id. */
  getMany(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Delivery>>;
  /** Newest first; `before` is exclusive. Looks at a bounded number of deliveries. */
  list(
    accountId: string,
    wanted: {
      readonly limit: number;
      readonly before: string | null;
      readonly filter: DeliveryFilter;
    },
  ): Promise<DeliveryPage>;
  /** Keeps a delivery that no outbox owes: a test's. */
  put(accountId: string, delivery: Delivery): Promise<void>;
  /**
   * Owes the delivery to its endpoint anew, from now, and marks it so; in one transaction. False
   * when it is owed anew already, or is not there.
   */
  requestRedelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
  /** The same, also for a delivery that the log does not have; false when it is requested already. */
  requestDelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
}
