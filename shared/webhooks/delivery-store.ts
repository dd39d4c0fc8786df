import type { EventType } from "../events/event.ts";
import type { Delivery, DeliveryState } from "./delivery.ts";

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly eventType?: EventType;
  readonly watchlistId?: string;
  /** Selects only deliveries of events that were created at this ISO time or later. */
  readonly since?: string;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /**
   * ID of the last entry that was read; null on the last page. A page may have fewer entries than
   * `limit`.
   */
  readonly lastId: string | null;
}

/** Stores the delivery log: the deliveries of an account by ID, for 30 days. */
export interface DeliveryStore {
  get(accountId: string, id: string): Promise<Delivery | null>;
  /** Reads deliveries by ID. The result leaves out deliveries that do not exist. */
  getMany(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Delivery>>;
  /**
   * Lists matching deliveries whose ID sorts before `before` (null: all), newest first. Reads a
   * bounded number of rows.
   */
  list(
    accountId: string,
    wanted: {
      readonly limit: number;
      readonly before: string | null;
      readonly filter: DeliveryFilter;
    },
  ): Promise<DeliveryPage>;
  /** Stores a test delivery. Test deliveries have no outbox entry. */
  put(accountId: string, delivery: Delivery): Promise<void>;
  /**
   * Marks a delivery as requested and adds it to the outbox of its endpoint, due now, in one
   * transaction. Returns false if a redelivery is already pending or the log does not contain the
   * delivery.
   */
  requestRedelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
  /**
   * Does the same as `requestRedelivery`, but adds the delivery to the log if the log does not
   * contain it. Returns false if a redelivery is already pending.
   */
  requestDelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
}
