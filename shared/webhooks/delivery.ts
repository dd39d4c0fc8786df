import { derivedIdAt } from "../base/ids.ts";
import type { EventType } from "../events/event.ts";
import { nextWaitSeconds, retryAfterSeconds } from "../outbox/backoff.ts";
import type { RequestSignature } from "./signature.ts";

/**
 * States of a delivery. `pending`: not attempted yet, or to be retried. `delivered`: the receiver
 * returned 2xx. `failed`: the service makes no further attempt automatically.
 */
export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The delivery of one event to one webhook endpoint, with its attempts. Times are ISO 8601 UTC. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  /** ID of the watchlist that the event is about; null for a test delivery. */
  readonly watchlistId: string | null;
  readonly runId: string | null;
  readonly endpointId: string;
  readonly state: DeliveryState;
  /** The newest attempts, at most 25, in ascending order of time. */
  readonly attempts: readonly Attempt[];
  /** Number of requests that were sent. */
  readonly attemptCount: number;
  /** Number of attempts since the retry schedule was last started. */
  readonly tries: number;
  /** Due time of the next automatic attempt; null if there is none. */
  readonly nextAttemptAt: string | null;
  /** Time at which a client requested a redelivery; null if none is pending. */
  readonly requestedAt: string | null;
  /** Creation time of the event. */
  readonly createdAt: string;
  /** Body of a test delivery, which the archive does not have; null for all other deliveries. */
  readonly testBody: string | null;
}

/** One attempt to send a delivery. */
export interface Attempt {
  /**
   * Number of the request, from 1, as in the `Service-Attempt` header; null if no request was sent.
   */
  readonly attempt: number | null;
  /** Start time of the attempt (ISO 8601). */
  readonly at: string;
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Error code; null if the attempt succeeded. */
  readonly error: string | null;
  /** The first 1 KiB of the response body; null if there was no response. */
  readonly response: string | null;
  /**
   * Signature headers of the request; null if no request was sent, or if an earlier release sent
   * it.
   */
  readonly signature: RequestSignature | null;
}

/**
 * Maximum number of stored attempts, which is enough for two retry schedules and some redeliveries.
 */
const attemptsKeptMax = 25;

/** The event, watchlist, run and endpoint of a delivery. A test has no watchlist and no run. */
export interface DeliverySubject {
  readonly event: { readonly id: string; readonly type: EventType; readonly createdAt: string };
  readonly watchlistId: string | null;
  readonly runId: string | null;
  readonly endpointId: string;
}

/** Returns the ID of a delivery, derived from its event and endpoint. */
export const deliveryId = ({
  event,
  endpointId,
}: {
  readonly event: Pick<DeliverySubject["event"], "id" | "createdAt">;
  readonly endpointId: string;
}): string => derivedIdAt("delivery", new Date(event.createdAt), event.id, endpointId);

/** Creates a delivery in state `pending` without attempts. */
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

/**
 * Returns the state of a delivery in API responses. The state is `pending` while a redelivery that
 * a client requested is pending.
 */
export const publicStateOf = ({ state, requestedAt }: Delivery): DeliveryState =>
  requestedAt === null ? state : "pending";

const statusGone = 410;

/**
 * Returns true if the receiver responded with status 410 (Gone): the receiver no longer accepts
 * requests.
 */
export const isGone = ({ status }: Pick<Attempt, "status">): boolean => status === statusGone;

/**
 * Returns the delivery after an attempt. A 2xx response completes the delivery, and a 410 response
 * makes the delivery fail. Any other result schedules the next retry, or makes the delivery fail if
 * its retries are exhausted.
 * @param retryAfter value of the `Retry-After` header; null if absent
 * @param fraction random number in [0, 1) that varies the retry delay
 */
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

/**
 * Returns the delivery in state `failed`, with a further attempt that records that no request was
 * sent.
 * @param error error code of this attempt
 */
export const failDelivery = (delivery: Delivery, now: Date, error: string): Delivery => ({
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
