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

/**
 * Returns the outbox entries that must exist for a logged delivery: one for its next retry, and one
 * for a requested redelivery; none if neither is pending.
 */
export const entriesFor = (delivery: Delivery): readonly OutboxEntry[] => [
  ...(delivery.state === "pending" ? retryEntries(delivery) : []),
  ...(delivery.requestedAt === null
    ? []
    : [redeliveryEntry(delivery, new Date(delivery.requestedAt))]),
];

/** Reports a pending delivery with neither a time for its next attempt nor a requested attempt. */
export const reportForgottenDelivery = (accountId: string, delivery: Delivery): Difference[] =>
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

/** A published run whose events have not expired. */
export interface EndedRun {
  /** The name of the run in reported differences. */
  readonly place: string;
  readonly runId: string;
  readonly watchlistId: string;
  /**
   * The endpoint of the run's watchlist; null if every endpoint that is subscribed to the event
   * receives it.
   */
  readonly webhookEndpointId: string | null;
  /** The time of the run's end (ISO 8601 UTC). */
  readonly endedAt: string;
  /**
   * True if the run is one of the newest runs of the watchlist. Deliveries of older runs are not
   * checked.
   */
  readonly isNewest: boolean;
}

/** The deliveries of one run to one endpoint. */
export interface RunDeliveries {
  readonly target: DeliveryTarget;
  /**
   * The outbox entry that all these deliveries share. The entry exists until each delivery has had
   * its first attempt.
   */
  readonly entry: OutboxEntry;
  /** The event types, by delivery ID. */
  readonly types: ReadonlyMap<string, RunEventType>;
  readonly runId: string;
}

/**
 * Maximum time between the recorded time of an endpoint's change and the write of the change, in
 * milliseconds. The recorded time is the start of the API call, the write can be late, and the
 * clocks of processes differ.
 */
const datedWithinMs = 60 * 60_000;

/**
 * Returns the deliveries that must exist for a run, one entry for each endpoint. If the run's
 * watchlist names an endpoint, only this endpoint receives the events. Otherwise every subscribed
 * endpoint receives them. In this case, leaves out endpoints that were deleted since, or whose last
 * change was later than an hour before the end of the run. Contains only the first part of each
 * event.
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
      const event = { id: runEventId(run, type, 1), createdAt: endedAt };
      return [deliveryId({ event, endpointId }), type] as const;
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

/**
 * Reports the deliveries of a run that are missing from the log. A delivery before its first
 * attempt is not in the log either, so the caller must also check the outbox.
 * @param known the delivery IDs in the log
 */
export function reportLostDeliveries(
  { target, types, runId }: RunDeliveries,
  known: ReadonlySet<string>,
): Difference[] {
  const lost = [...types].filter(([id]) => !known.has(id)).map(([, type]) => type);
  if (lost.length === 0) return [];
  const place = `${target.accountId} ${target.targetId}`;
  const field = `delivery log of ${runId}`;
  return [{ place, field, stored: missing, expected: lost.join(" and ") }];
}
