import { derivedIdAt } from "../base/ids.ts";
import type { EventType } from "../events/event.ts";
import { nextWaitSeconds, retryAfterSeconds } from "../outbox/backoff.ts";
import type { RequestSignature } from "./signature.ts";

export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One event on its way to one endpoint, with every attempt so far. Times are ISO 8601 UTC. */
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
  /** Requests ever sent. */
  readonly attemptCount: number;
  /** Attempts made since the retry schedule last began. */
  readonly tries: number;
  /** When the next attempt is due; null when none is. */
  readonly nextAttemptAt: string | null;
  /** When somebody asked to send it again; null once that was done. */
  readonly requestedAt: string | null;
  /** When the event happened. */
  readonly createdAt: string;
  /** The body of a test delivery, which no archive has; null for every other. */
  readonly testBody: string | null;
}

/** One entry of the delivery log. */
export interface Attempt {
  /** Number of the request, as in `Service-Attempt`, from 1; null when none was sent. */
  readonly attempt: number | null;
  /** ISO time at which it began. */
  readonly at: string;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why the attempt failed; null when it succeeded. */
  readonly error: string | null;
  /** The first 1 KiB of the answer's body; null when there was no answer. */
  readonly response: string | null;
  /** Null when no request was sent, or when it was sent before signatures were logged. */
  readonly signature: RequestSignature | null;
}

/** Attempts that a delivery remembers: the schedule twice over, and some by hand. */
const attemptsKeptMax = 25;

export interface DeliverySubject {
  readonly event: { readonly id: string; readonly type: EventType; readonly createdAt: string };
  readonly watchlistId: string | null;
  readonly runId: string | null;
  readonly endpointId: string;
}

/** The id of a delivery: the same wherever event and endpoint meet. */
export const deliveryId = ({ event, endpointId }: DeliverySubject): string =>
  derivedIdAt("delivery", new Date(event.createdAt), event.id, endpointId);

/** A delivery that nobody has attempted. */
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

/** The state to show: whoever asked for a redelivery finds it pending until it was made. */
export const shownState = ({ state, requestedAt }: Delivery): DeliveryState =>
  requestedAt === null ? state : "pending";

const statusGone = 410;

/** True when the receiver wants nothing more. */
export const isGone = ({ status }: Pick<Attempt, "status">): boolean => status === statusGone;

/** What comes after an attempt: 2xx delivers, 410 ends, anything else goes on the retry schedule. */
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

/** A delivery that is not attempted any more, and why. */
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
