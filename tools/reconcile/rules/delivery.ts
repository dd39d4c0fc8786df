import { type Difference, missing } from "./difference.ts";
import { runEventId, type RunEventType } from "../../../shared/events/event.ts";
import {
  endpointTarget,
  type OutboxEntry,
  type DeliveryTarget,
} from "../../../shared/outbox/outbox.ts";
import { type Delivery, deliveryId } from "../../../shared/webhooks/delivery.ts";
import { type WebhookEndpoint, isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import {
  redeliveryEntry,
  retryEntries,
  runEntry,
} from "../../../shared/webhooks/outbox-entries.ts";

/** Returns the outbox entries that a delivery in the log requires. */
export const entriesFor = (delivery: Delivery): readonly OutboxEntry[] => [
  ...(delivery.state === "pending" ? retryEntries(delivery) : []),
  ...(delivery.requestedAt === null
    ? []
    : [redeliveryEntry(delivery, new Date(delivery.requestedAt))]),
];

/** Reports a pending delivery without the time of its next attempt. */
export const forgottenDelivery = (accountId: string, delivery: Delivery): Difference[] =>
  delivery.state === "pending" && delivery.nextAttemptAt === null && delivery.requestedAt === null
    ? [
        {
          place: `${accountId} ${delivery.id}`,
          field: "next_attempt_at",
          stored: null,
          expected: "a time",
        },
      ]
    : [];

/** A published run whose events are kept. */
export interface EndedRun {
  /** Its name in differences. */
  readonly place: string;
  readonly runId: string;
  readonly watchlistId: string;
  /** The endpoint of its watchlist; null: every endpoint that is subscribed to the event. */
  readonly webhookEndpointId: string | null;
  /** ISO 8601 UTC. */
  readonly endedAt: string;
  /** True if it is among the newest runs of its watchlist, which are checked in detail. */
  readonly isNewest: boolean;
}

/** The deliveries of a run to an endpoint. */
export interface RunDeliveries {
  readonly target: DeliveryTarget;
  /** The outbox entry until all first attempts were made. */
  readonly entry: OutboxEntry;
  /** The event types by delivery ID, one for each type. */
  readonly types: ReadonlyMap<string, RunEventType>;
  readonly runId: string;
}

/**
 * The time of an endpoint's change is when its call began. The call may have been delayed before
 * its write, and clocks differ.
 */
const datedWithinMs = 60 * 60_000;

/**
 * Returns the deliveries that a run requires: to the endpoint of its watchlist, or else to every
 * endpoint that is subscribed and has not changed since the run ended. Endpoints that were changed
 * or deleted since are not checked. Of the parts of an event, only the first is checked.
 */
export function deliveriesOfRun(
  accountId: string,
  { run, types }: { readonly run: EndedRun; readonly types: readonly RunEventType[] },
  endpoints: readonly WebhookEndpoint[],
): readonly RunDeliveries[] {
  const { runId, watchlistId, webhookEndpointId, endedAt } = run;
  const entry = runEntry({ runId, watchlistId, types: null, happenedAt: endedAt });
  const to = (endpointId: string, wanted: readonly RunEventType[]): RunDeliveries => {
    const ids = wanted.map((type) => {
      const event = { id: runEventId(run, type, 1), type, createdAt: endedAt };
      return [deliveryId({ event, watchlistId, runId, endpointId }), type] as const;
    });
    return { target: endpointTarget(accountId, endpointId), entry, types: new Map(ids), runId };
  };
  if (webhookEndpointId !== null) return [to(webhookEndpointId, types)];
  return endpoints
    .filter(({ updatedAt }) => Date.parse(updatedAt) + datedWithinMs < Date.parse(endedAt))
    .map((endpoint) =>
      to(
        endpoint.id,
        types.filter((type) => isSubscribed(endpoint, type)),
      ),
    );
}

/** Reports deliveries that are neither in the log nor pending. */
export function lostDeliveries(
  { target, types, runId }: RunDeliveries,
  known: ReadonlySet<string>,
): Difference[] {
  const lost = [...types].filter(([id]) => !known.has(id)).map(([, type]) => type);
  if (lost.length === 0) return [];
  const place = `${target.accountId} ${target.targetId}`;
  const field = `log of ${runId}`;
  return [{ place, field, stored: missing, expected: lost.join(" and ") }];
}
