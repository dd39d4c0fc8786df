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
import type { Entry } from "../outbox/outbox.ts";
import type { Delivery } from "./delivery.ts";

/** A run whose events an endpoint is to get, in order; `types` null: all of them. */
const runContent = object({
  kind: literal("run"),
  runId: string(),
  watchlistId: string(),
  types: nullable(array(picklist(eventTypes))),
});

/**
 * The next attempt of one delivery; `requested` when a request asked for it, `inOrder` when it goes
 * out after the entries before it, one at a time.
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
 * Whatever of a span of time the endpoint did not get; `after`: the last run looked at; `found`: the
 * deliveries of it so far.
 */
const recoverContent = object({
  kind: literal("recover"),
  since: string(),
  until: string(),
  after: nullable(object({ createdAt: string(), runId: string() })),
  found: optional(number(), 0),
});

/** What an endpoint's outbox holds. */
export const webhookContent = variant("kind", [runContent, deliveryContent, recoverContent]);
export type RunContent = InferOutput<typeof runContent>;
export type DeliveryContent = InferOutput<typeof deliveryContent>;
export type RecoverContent = InferOutput<typeof recoverContent>;

/** The first attempts of a run's events, owed since they happened. */
export const runEntry = (
  run: Omit<RunContent, "kind"> & { readonly happenedAt: string },
): Entry => {
  const { runId, watchlistId, types } = run;
  const content: RunContent = { kind: "run", runId, watchlistId, types };
  return { lane: "first", dueAt: run.happenedAt, key: `run#${runId}`, content };
};

/** The next attempt of a delivery, when it is due; nothing for one that is over. */
export function retryEntries(delivery: Delivery): readonly Entry[] {
  return delivery.nextAttemptAt === null
    ? []
    : [deliveryEntry(delivery, { dueAt: delivery.nextAttemptAt })];
}

/** The attempt of a delivery that a recovery sends again, in the order of due times. */
export const recoveredEntry = (delivery: Delivery, dueAt: string): Entry =>
  deliveryEntry(delivery, { dueAt, inOrder: true });

/** An attempt that somebody asked for, whatever became of the delivery. */
export const redeliveryEntry = (delivery: Delivery, now: Date): Entry =>
  deliveryEntry(delivery, { dueAt: now.toISOString(), requested: true });

function deliveryEntry(
  delivery: Delivery,
  {
    dueAt,
    requested = false,
    inOrder = false,
  }: { readonly dueAt: string; readonly requested?: boolean; readonly inOrder?: boolean },
): Entry {
  const { id, eventId, eventType, watchlistId, runId, createdAt } = delivery;
  const content: DeliveryContent = {
    kind: "delivery",
    deliveryId: id,
    eventId,
    eventType,
    // A test's delivery, which has neither, is never owed.
    watchlistId: watchlistId ?? "",
    runId: runId ?? "",
    createdAt,
    requested,
    inOrder,
  };
  return { lane: "later", dueAt, key: id, content };
}

/** Everything of a span of time that an endpoint did not get. */
export const recoverEntry = (
  span: { readonly since: string; readonly until: string },
  now: Date,
): Entry => ({
  lane: "first",
  dueAt: now.toISOString(),
  key: `recover#${span.since}#${span.until}`,
  content: { kind: "recover", ...span, after: null, found: 0 } satisfies RecoverContent,
});
