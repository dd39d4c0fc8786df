import { type Difference, missing } from "./difference.ts";
import { runEventId, type RunEventType } from "../../../shared/events/event.ts";
import { endpointTarget, type Entry, type Target } from "../../../shared/outbox/outbox.ts";
import { type Delivery, deliveryId } from "../../../shared/webhooks/delivery.ts";
import { type Endpoint, isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import {
  redeliveryEntry,
  retryEntries,
  runEntry,
} from "../../../shared/webhooks/outbox-entries.ts";

/** The entries that have to be in its endpoint's outbox for what the log says of a delivery. */
export const entriesFor = (delivery: Delivery): readonly Entry[] => [
  ...(delivery.state === "pending" ? retryEntries(delivery) : []),
  ...(delivery.requestedAt === null
    ? []
    : [redeliveryEntry(delivery, new Date(delivery.requestedAt))]),
];

/** A delivery that is pending and that nobody will attempt: it waits for no time. */
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

/** A run that was published, while its events are kept. */
export interface EndedRun {
  /** How a difference names it. */
  readonly place: string;
  readonly runId: string;
  readonly watchlistId: string;
  /** The endpoint that its list named; null: every endpoint subscribed to the event. */
  readonly webhookEndpointId: string | null;
  /** ISO 8601 UTC. */
  readonly endedAt: string;
  /** Among the newest of its list, as many as are looked at in detail. */
  readonly isNewest: boolean;
}

/** What an endpoint got, or is to get, of a run. */
export interface RunDeliveries {
  readonly target: Target;
  /** Where it stands until all first attempts were made. */
  readonly entry: Entry;
  /** One delivery of the log for each type of event, by id. */
  readonly types: ReadonlyMap<string, RunEventType>;
  readonly runId: string;
}

/**
 * An endpoint is dated by when its call began: the call may have stood still before it wrote, and its
 * clock may differ from that of who publishes.
 */
const datedWithinMs = 60 * 60_000;

/**
 * Who must have got a run's events: the endpoint that its list named, whatever became of it; else
 * every endpoint that is subscribed and has not changed since the run ended. Of endpoints that were
 * changed or deleted meanwhile there is no telling, and of the parts of an event only the first is
 * looked at.
 */
export function deliveriesOfRun(
  accountId: string,
  { run, types }: { readonly run: EndedRun; readonly types: readonly RunEventType[] },
  endpoints: readonly Endpoint[],
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

/** Deliveries that the log does not know and that nobody is to make. */
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
