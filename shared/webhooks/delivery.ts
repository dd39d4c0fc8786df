import { derivedIdAt } from "../base/ids.ts";
import { nextWaitSeconds, retryAfterSeconds } from "../outbox/backoff.ts";
import type { EventType } from "../events/event.ts";
import type { Work } from "./work.ts";

/** One event on its way to one endpoint, with every attempt so far. */
export interface Delivery extends Work {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly watchlistId: string;
  readonly runId: string;
  readonly endpointId: string;
  readonly state: "pending" | "delivered" | "failed";
  readonly attempts: readonly Attempt[];
  /** When the event happened. */
  readonly createdAt: string;
}

/** One entry of the delivery log. */
export interface Attempt {
  readonly attempt: number;
  /** ISO time at which it began. */
  readonly at: string;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why the attempt failed; null when it succeeded. */
  readonly error: string | null;
  /** The first 1 KiB of the answer's body; null when there was no answer. */
  readonly response: string | null;
}

/** What an attempt makes of a delivery. */
export interface Settlement {
  readonly state: Delivery["state"];
  readonly dueAt: Date | null;
}

interface DeliverySubject {
  readonly event: { readonly id: string; readonly type: EventType; readonly createdAt: string };
  readonly watchlistId: string;
  readonly runId: string;
  readonly endpointId: string;
}

/** A delivery that nobody has attempted; its id is the same wherever event and endpoint meet. */
export function newDelivery(
  { event, watchlistId, runId, endpointId }: DeliverySubject,
  dueAt: Date | null,
): Delivery {
  return {
    id: derivedIdAt("delivery", new Date(event.createdAt), event.id, endpointId),
    eventId: event.id,
    eventType: event.type,
    watchlistId,
    runId,
    endpointId,
    state: "pending",
    attempt: 0,
    attempts: [],
    dueAt: dueAt?.toISOString() ?? null,
    leased: false,
    createdAt: event.createdAt,
  };
}

const statusGone = 410;

/** 2xx delivers, 410 ends, anything else goes on the retry schedule until that ends. */
export function settlementOf(
  attempt: Attempt,
  context: { readonly retryAfter: string | null; readonly now: Date; readonly fraction: number },
): Settlement {
  if (isSuccess(attempt)) return { state: "delivered", dueAt: null };
  if (attempt.status === statusGone) return { state: "failed", dueAt: null };
  const wait = nextWaitSeconds({
    attempt: attempt.attempt,
    retryAfterSeconds: retryAfterSeconds(context.retryAfter, context.now),
    fraction: context.fraction,
  });
  return wait === null
    ? { state: "failed", dueAt: null }
    : { state: "pending", dueAt: new Date(context.now.getTime() + wait * 1_000) };
}

const isSuccess = ({ status }: Attempt): boolean =>
  status !== null && status >= 200 && status < 300;

/** The record of a delivery that was not attempted, and why. */
export const unsentAttempt = (attempt: number, now: Date, error: string): Attempt => ({
  attempt,
  at: now.toISOString(),
  status: null,
  durationMs: 0,
  error,
  response: null,
});
