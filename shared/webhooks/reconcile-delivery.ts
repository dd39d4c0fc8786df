import type { Entry } from "../outbox/outbox.ts";
import type { Delivery } from "./delivery.ts";
import { redeliveryEntry, retryEntries } from "./outbox-entries.ts";

/** The entries that have to be in its endpoint's outbox for what the log says of a delivery. */
export const entriesFor = (delivery: Delivery): readonly Entry[] => [
  ...(delivery.state === "pending" ? retryEntries(delivery) : []),
  ...(delivery.requestedAt === null
    ? []
    : [redeliveryEntry(delivery, new Date(delivery.requestedAt))]),
];
