import type { Slice } from "../outbox/drain.ts";
import { notedSlice } from "../outbox/noted-slice.ts";
import type { DeliveryLog, DeliveryRecord } from "./attempt-delivery.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";

/** The log as one session knows it, ahead of what was kept. */
export interface NotedLog extends DeliveryLog {
  /** The same slice; what is handed over through it is known from then on. */
  noting(slice: Slice<DeliveryRecord>): Slice<DeliveryRecord>;
}

export function notedLog(accountId: string, deliveries: DeliveryStore): NotedLog {
  const noted = new Map<string, Delivery>();
  return {
    get: async (id) => noted.get(id) ?? deliveries.get(accountId, id),
    async getMany(ids) {
      const unknown = ids.filter((id) => !noted.has(id));
      const found = new Map(
        unknown.length === 0 ? [] : await deliveries.getMany(accountId, unknown),
      );
      for (const id of ids) {
        const known = noted.get(id);
        if (known !== undefined) found.set(id, known);
      }
      return found;
    },
    noting: (slice) => notedSlice(slice, ({ delivery }) => noted.set(delivery.id, delivery)),
  };
}
