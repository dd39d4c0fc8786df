import type { EventType } from "../events/event.ts";
import type { Delivery, DeliveryState } from "./delivery.ts";

/** Which deliveries to list. An absent field excludes no delivery. */
export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly eventType?: EventType;
  readonly watchlistId?: string;
  /** Selects only deliveries of events that were created at this ISO time or later. */
  readonly since?: string;
}

/** A page of the delivery log, newest first. */
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
   * Lists the matching deliveries whose ID sorts before `before`, newest first. If `before` is
   * null, lists from the newest delivery. Reads a limited number of rows.
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
   * Marks a delivery as requested, and adds it to the outbox of its endpoint, due now, in one
   * transaction. Returns false if a redelivery is already pending, or if the log does not have the
   * delivery.
   */
  requestRedelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
  /**
   * Does the same as `requestRedelivery`, but also adds a delivery that the log does not have.
   * Returns false if a redelivery is already pending.
   */
  requestDelivery(accountId: string, delivery: Delivery, now: Date): Promise<boolean>;
}
