import type { TimeSlice } from "../outbox/drain.ts";
import { noteRecords } from "../outbox/noted-slice.ts";
import type { DeliveryLog, DeliveryRecord } from "./attempt-delivery.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";

/** A delivery log that also returns records of the session that are not stored yet. */
export interface SessionLog extends DeliveryLog {
  /**
   * Wraps a time slice. From then on, `get` and `getMany` return each record as soon as the slice
   * queues it.
   */
  tracking(slice: TimeSlice<DeliveryRecord>): TimeSlice<DeliveryRecord>;
}

/**
 * Creates the delivery log of an account for one session. It returns stored deliveries, and also
 * those that the session has recorded but not stored yet.
 */
export function sessionLog(accountId: string, deliveries: DeliveryStore): SessionLog {
  const unstored = new Map<string, Delivery>();
  return {
    get: async (id) => unstored.get(id) ?? deliveries.get(accountId, id),
    async getMany(ids) {
      const unknown = ids.filter((id) => !unstored.has(id));
      const foundDeliveries = new Map(
        unknown.length === 0 ? [] : await deliveries.getMany(accountId, unknown),
      );
      for (const id of ids) {
        const known = unstored.get(id);
        if (known !== undefined) foundDeliveries.set(id, known);
      }
      return foundDeliveries;
    },
    tracking: (slice) => noteRecords(slice, ({ delivery }) => unstored.set(delivery.id, delivery)),
  };
}
