import { derivedIdAt } from "../base/ids.ts";
import type { EventType } from "../events/event.ts";
import { nextWaitSeconds, retryAfterSeconds } from "../outbox/backoff.ts";
import type { RequestSignature } from "./signature.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The delivery of one event to one webhook endpoint, with its attempts. Times are ISO 8601 UTC. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  /** Null for a test delivery. */
  readonly watchlistId: string | null;
  readonly runId: string | null;
  readonly endpointId: string;
  readonly state: DeliveryState;
  /** The newest attempts, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Number of requests sent. */
  readonly attemptCount: number;
  /** Number of attempts since the retry schedule last started. */
  readonly tries: number;
  /** Due time of the next attempt; null if there is none. */
  readonly nextAttemptAt: string | null;
  /** Time at which a client requested a redelivery; null if none is pending. */
  readonly requestedAt: string | null;
  /** Creation time of the event. */
  readonly createdAt: string;
  /** Body of a test delivery, which is not archived; null for all others. */
  readonly testBody: string | null;
}

/** One attempt of a delivery. */
export interface Attempt {
  /** Number of the request, as in `Service-Attempt`, from 1; null if none was sent. */
  readonly attempt: number | null;
  /** Start time, ISO 8601. */
  readonly at: string;
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Error code; null if the attempt succeeded. */
  readonly error: string | null;
  /** The first 1 KiB of the response body; null if there was no response. */
  readonly response: string | null;
  /** Null if no request was sent, or if an earlier release sent it. */
  readonly signature: RequestSignature | null;
}

/** Maximum number of stored attempts: two retry schedules, and some redeliveries. */
const attemptsKeptMax = 25;

export interface DeliverySubject {
  readonly event: { readonly id: string; readonly type: EventType; readonly createdAt: string };
  readonly watchlistId: string | null;
  readonly runId: string | null;
  readonly endpointId: string;
}

/** ID of a delivery, derived from its event and endpoint. */
export const deliveryId = ({ event, endpointId }: DeliverySubject): string =>
  derivedIdAt("delivery", new Date(event.createdAt), event.id, endpointId);

/** Creates a delivery without attempts. */
export function newDelivery(subject: DeliverySubject): Delivery {
  const { event, watchlistId, runId, endpointId } = subject;
  return {
    id: deliveryId(subject),
    eventId: event.id,
    eventType: event.type,
    watchlistId,
    runId,
    endpointId,
    state: "pending",
    attempts: [],
    attemptCount: 0,
    tries: 0,
    nextAttemptAt: null,
    requestedAt: null,
    createdAt: event.createdAt,
    testBody: null,
  };
}

/** State in API answers: `pending` while a requested redelivery is pending. */
export const shownState = ({ state, requestedAt }: Delivery): DeliveryState =>
  requestedAt === null ? state : "pending";

const statusGone = 410;

/** True if the receiver answered 410: it accepts no further requests. */
export const isGone = ({ status }: Pick<Attempt, "status">): boolean => status === statusGone;

/** The delivery after an attempt: 2xx completes it, 410 ends it, any other result schedules a retry. */
export function afterAttempt(
  delivery: Delivery,
  attempt: Attempt,
  context: { readonly retryAfter: string | null; readonly now: Date; readonly fraction: number },
): Delivery {
  const tries = delivery.tries + 1;
  const attempted = withAttempt({ ...delivery, tries }, attempt);
  if (attempt.error === null) return { ...attempted, state: "delivered", nextAttemptAt: null };
  const wait = isGone(attempt)
    ? null
    : nextWaitSeconds({
        attempt: tries,
        retryAfterSeconds: retryAfterSeconds(context.retryAfter, context.now),
        fraction: context.fraction,
      });
  if (wait === null) return { ...attempted, state: "failed", nextAttemptAt: null };
  const nextAttemptAt = new Date(context.now.getTime() + wait * 1_000).toISOString();
  return { ...attempted, state: "pending", nextAttemptAt };
}

/** The delivery after its end without an attempt, for the reason `error`. */
export const endedDelivery = (delivery: Delivery, now: Date, error: string): Delivery => ({
  ...withAttempt(delivery, {
    attempt: null,
    at: now.toISOString(),
    status: null,
    durationMs: 0,
    error,
    response: null,
    signature: null,
  }),
  state: "failed",
  nextAttemptAt: null,
});

const withAttempt = (delivery: Delivery, attempt: Attempt): Delivery => ({
  ...delivery,
  attempts: [...delivery.attempts, attempt].slice(-attemptsKeptMax),
  attemptCount: attempt.attempt ?? delivery.attemptCount,
});
