import type { RandomSource } from "../base/clock.ts";
import { newMetrics, type MetricsSink } from "../observability/metrics.ts";
import type { ArchivedRun, EventBodies } from "../events/event-archive.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { AttemptCounts } from "../outbox/attempt-counts.ts";
import type { TimeSlice } from "../outbox/drain.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { afterAttempt, type Attempt, type Delivery, failDelivery } from "./delivery.ts";
import { sendDelivery } from "./delivery-attempt.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { disableEndpoint } from "./disable-endpoint.ts";
import { disablingReason, type HealthTracker } from "./endpoint-health.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { FirstAttemptGate } from "./first-attempt-gate.ts";
import type { ReceiverState, ReceiverAccess, ReceiverDependencies } from "./receiver.ts";

/** A changed delivery to store in the delivery log. */
export interface DeliveryRecord {
  readonly delivery: Delivery;
  /** True if this attempt was the redelivery that a client requested. */
  readonly answersRequest: boolean;
}

export interface WebhookDependencies extends ReceiverDependencies {
  readonly endpoints: Pick<EndpointStore, "get" | "replace">;
  readonly deliveries: DeliveryStore;
  readonly bodies: EventBodies;
  readonly feed: EventFeed;
  readonly random: RandomSource;
  /** Receives the metrics of each attempt. */
  readonly report?: MetricsSink;
}

/** The state of one session: the work of one process on the outbox of an endpoint. */
export interface WebhookContext {
  readonly accountId: string;
  readonly endpointId: string;
  readonly receiver: ReceiverAccess;
  readonly dependencies: WebhookDependencies;
  /** Reads the index of a run's events. Returns null if the events have expired. */
  readonly run: (runId: string) => Promise<ArchivedRun | null>;
  /** The delivery log, including records of this session that are not stored yet. */
  readonly log: DeliveryLog;
  readonly health: HealthTracker;
  readonly firstAttempts: FirstAttemptGate;
  readonly attempts: AttemptCounts;
}

/** The delivery log of one account. */
export interface DeliveryLog {
  get(id: string): Promise<Delivery | null>;
  /** Reads deliveries by ID. The result leaves out deliveries that do not exist. */
  getMany(ids: readonly string[]): Promise<ReadonlyMap<string, Delivery>>;
}

/** An entry of an endpoint's outbox and its parsed content. */
export interface WebhookWork<Content> {
  readonly entry: OutboxEntry;
  readonly content: Content;
  readonly slice: TimeSlice<DeliveryRecord>;
}

/** The next attempt of a delivery. */
export interface AttemptRequest {
  readonly delivery: Delivery;
  readonly body: Uint8Array;
  /** The endpoint with its secrets and connection, or the reason why it receives nothing now. */
  readonly ready: ReceiverState;
}

/**
 * Makes the next attempt of a delivery, and returns the delivery after the attempt, which the
 * caller must store. If the endpoint is disabled or deleted, sends nothing and returns the delivery
 * as failed. Disables the endpoint if the attempt gives a reason (see `disablingReason`).
 */
export async function attempt(
  { delivery, body, ready }: AttemptRequest,
  context: Pick<WebhookContext, "attempts" | "dependencies" | "health" | "receiver">,
): Promise<Delivery> {
  const { clock, random, report } = context.dependencies;
  if (ready.outcome === "refused") return failDelivery(delivery, clock.now(), ready.error);
  const { secrets, connection } = ready;
  const sent = await sendDelivery({ delivery, body, secrets, connection }, clock);
  context.health.note(sent.attempt, ready.endpoint);
  const attempted = afterAttempt(delivery, sent.attempt, {
    retryAfter: sent.retryAfter,
    now: clock.now(),
    fraction: random.fraction(),
  });
  context.attempts.note({ succeeded: attempted.state === "delivered" });
  report?.([
    newMetrics(
      "deliveries",
      {},
      {
        delivery_attempts: 1,
        delivery_succeeded: attempted.state === "delivered" ? 1 : 0,
        delivery_failed: attempted.state === "delivered" ? 0 : 1,
        delivery_given_up: attempted.state === "failed" ? 1 : 0,
        delivery_ms: sent.attempt.durationMs,
      },
    ),
  ]);
  await disableIfFailing({ attempt: sent.attempt, attempted, ready }, context);
  return attempted;
}

/**
 * Disables the endpoint if the attempt gives a reason for it. Call it before the attempt is logged:
 * if the process crashes between the two writes, the attempt is repeated, and with it the
 * disabling.
 */
async function disableIfFailing(
  tried: {
    readonly attempt: Attempt;
    readonly attempted: Delivery;
    readonly ready: Extract<ReceiverState, { outcome: "ready" }>;
  },
  { dependencies, health, receiver }: Pick<WebhookContext, "dependencies" | "health" | "receiver">,
): Promise<void> {
  const { endpoint } = tried.ready;
  const now = dependencies.clock.now();
  const { failingSince } = health.current();
  const reason = disablingReason(tried, health.current(), now);
  if (reason === null) return;
  const condition = reason === "failing" ? failingSince : null;
  await disableEndpoint({ endpoint, reason, failingSince: condition, now }, dependencies.endpoints);
  receiver.forget();
}
