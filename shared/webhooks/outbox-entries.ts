import {
  array,
  boolean,
  type InferOutput,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  string,
  variant,
} from "valibot";
import { eventTypes } from "../events/event.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import type { Delivery } from "./delivery.ts";

/**
 * Content of an entry for the first attempts of a run's events, in order. `types` is null for all
 * event types. `eventIds` lists the events of a small run, so that a session can read their
 * deliveries without waiting for the run's index. Entries that the previous release added lack
 * `eventIds`.
 */
const runContent = object({
  kind: literal("run"),
  runId: string(),
  watchlistId: string(),
  types: nullable(array(picklist(eventTypes))),
  eventIds: optional(array(string()), []),
});

/**
 * Content of an entry for the next attempt of one delivery. `requested`: a client requested the
 * attempt. `inOrder`: a recovery made the delivery pending; such attempts are made one at a time,
 * in the order of their due times.
 */
const deliveryContent = object({
  kind: literal("delivery"),
  deliveryId: string(),
  eventId: string(),
  eventType: picklist(eventTypes),
  watchlistId: string(),
  runId: string(),
  createdAt: string(),
  requested: boolean(),
  inOrder: optional(boolean(), false),
});

/**
 * Content of an entry for a recovery. The recovery makes a delivery pending for each event from
 * `since` to `until` that the endpoint did not receive. `after` is the last run that was processed;
 * null before the first run. `found` is the number of deliveries that the recovery has made
 * pending.
 */
const recoverContent = object({
  kind: literal("recover"),
  since: string(),
  until: string(),
  after: nullable(object({ createdAt: string(), runId: string() })),
  found: optional(number(), 0),
});

/** The content of an entry in an endpoint's outbox. */
export const webhookContent = variant("kind", [runContent, deliveryContent, recoverContent]);
export type RunContent = InferOutput<typeof runContent>;
export type DeliveryContent = InferOutput<typeof deliveryContent>;
export type RecoverContent = InferOutput<typeof recoverContent>;

/**
 * Returns the outbox entry for the first attempts of a run's events. The entry is due at
 * `happenedAt`, the creation time of the events.
 */
export const runEntry = (
  run: Pick<RunContent, "runId" | "watchlistId" | "types"> & {
    readonly happenedAt: string;
    readonly eventIds?: readonly string[];
  },
): OutboxEntry => {
  const { runId, watchlistId, types, eventIds = [] } = run;
  const content: RunContent = { kind: "run", runId, watchlistId, types, eventIds: [...eventIds] };
  return { lane: "first", dueAt: run.happenedAt, key: `run#${runId}`, content };
};

/**
 * Returns an array with the outbox entry for the next attempt of a delivery; an empty array if no
 * attempt is planned.
 */
export function retryEntries(delivery: Delivery): readonly OutboxEntry[] {
  return delivery.nextAttemptAt === null
    ? []
    : [deliveryEntry(delivery, { dueAt: delivery.nextAttemptAt })];
}

/**
 * Returns the outbox entry for a delivery that a recovery makes pending.
 * @param dueAt time at which the delivery is due, ISO 8601
 */
export const recoveredEntry = (delivery: Delivery, dueAt: string): OutboxEntry =>
  deliveryEntry(delivery, { dueAt, inOrder: true });

/** Returns the outbox entry for a redelivery that a client requested, due at `now`. */
export const redeliveryEntry = (delivery: Delivery, now: Date): OutboxEntry =>
  deliveryEntry(delivery, { dueAt: now.toISOString(), requested: true });

/** Returns the outbox entry for the next attempt of a delivery, due at `dueAt` (ISO 8601). */
function deliveryEntry(
  delivery: Delivery,
  {
    dueAt,
    requested = false,
    inOrder = false,
  }: { readonly dueAt: string; readonly requested?: boolean; readonly inOrder?: boolean },
): OutboxEntry {
  const { id, eventId, eventType, watchlistId, runId, createdAt } = delivery;
  const content: DeliveryContent = {
    kind: "delivery",
    deliveryId: id,
    eventId,
    eventType,
    // Only test deliveries have no watchlist and no run, and no test delivery has an outbox entry.
    watchlistId: watchlistId ?? "",
    runId: runId ?? "",
    createdAt,
    requested,
    inOrder,
  };
  return { lane: "later", dueAt, key: id, content };
}

/**
 * Returns the outbox entry for a recovery of a time span, due now. Entries for the same span have
 * the same key, so that they are processed one after the other. The second recovery then finds the
 * deliveries of the first already pending.
 */
export const recoverEntry = (
  span: { readonly since: string; readonly until: string },
  now: Date,
): OutboxEntry => ({
  lane: "first",
  dueAt: now.toISOString(),
  key: `recover#${span.since}#${span.until}`,
  content: { kind: "recover", ...span, after: null, found: 0 } satisfies RecoverContent,
});
