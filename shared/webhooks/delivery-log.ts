import type { TimeSlice } from "../outbox/drain.ts";
import { noteRecords } from "../outbox/noted-slice.ts";
import { preparedReads } from "../outbox/prepared-reads.ts";
import type { DeliveryLog, DeliveryRecord } from "./attempt-delivery.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";

/** A delivery log that also returns records of the session that are not stored yet. */
export interface SessionLog extends DeliveryLog {
  /**
   * Starts to read deliveries by ID. The next `getMany` of each delivery uses this read, unless the
   * session has recorded the delivery by then.
   */
  prepare(ids: readonly string[]): void;
  /**
   * Starts to read a delivery for the next `get`. That `get` uses this read, unless the session has
   * recorded the delivery by then.
   */
  prepareRetry(id: string): void;
  /**
   * Wraps a time slice. From then on, `get` and `getMany` return each record as soon as the slice
   * queues it.
   */
  tracking(slice: TimeSlice<DeliveryRecord>): TimeSlice<DeliveryRecord>;
}

/**
 * Creates the delivery log of an account for one session. The log returns stored deliveries, and
 * also deliveries that the session has recorded but not stored yet.
 */
export function sessionLog(accountId: string, deliveries: DeliveryStore): SessionLog {
  const unstored = new Map<string, Delivery>();
  const stored = preparedReads(async (id) => (await deliveries.getMany(accountId, [id])).get(id));
  const retried = preparedReads((id) => deliveries.get(accountId, id));
  return {
    prepare(ids) {
      for (const id of ids) stored.begin(id);
    },
    prepareRetry: retried.begin,
    get: async (id) => unstored.get(id) ?? retried.read(id),
    async getMany(ids) {
      // The reads begin in the same turn of the event loop, so the store makes them one request.
      const found = await Promise.all(ids.map(async (id) => unstored.get(id) ?? stored.read(id)));
      return new Map(
        found
          .filter((delivery) => delivery !== undefined)
          .map((delivery) => [delivery.id, delivery]),
      );
    },
    tracking: (slice) => noteRecords(slice, ({ delivery }) => unstored.set(delivery.id, delivery)),
  };
}
