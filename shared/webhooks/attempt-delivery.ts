import type { Chance } from "../base/clock.ts";
import { figures, type Report } from "../observability/figures.ts";
import type { ArchivedRun, EventBodies } from "../events/event-archive.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { Slice } from "../outbox/drain.ts";
import type { Entry } from "../outbox/outbox.ts";
import { afterAttempt, type Attempt, type Delivery, endedDelivery } from "./delivery.ts";
import { sendDelivery } from "./delivery-attempt.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { disableEndpoint } from "./disable-endpoint.ts";
import { disablingReason, type HealthTracker } from "./endpoint-health.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { FirstAttemptGate } from "./first-attempt-gate.ts";
import type { Ready, Receiver, ReceiverDependencies } from "./receiver.ts";

/** A row of the delivery log, as an endpoint's outbox keeps it. */
export interface DeliveryRecord {
  readonly delivery: Delivery;
  /** True when the attempt was the one that somebody had asked for. */
  readonly answersRequest: boolean;
}

export interface WebhookDependencies extends ReceiverDependencies {
  readonly endpoints: Pick<EndpointStore, "get" | "replace">;
  readonly deliveries: DeliveryStore;
  readonly bodies: EventBodies;
  readonly feed: EventFeed;
  readonly chance: Chance;
  /** Told what each attempt came to. */
  readonly report?: Report;
}

/** What working on an endpoint's entries has at hand. */
export interface WebhookContext {
  readonly accountId: string;
  readonly endpointId: string;
  readonly receiver: Receiver;
  readonly dependencies: WebhookDependencies;
  /** The index of a run's events, or null when they are not kept any more. */
  readonly run: (runId: string) => Promise<ArchivedRun | null>;
  /** The log as this session knows it: what it has noted may not have been kept yet. */
  readonly log: DeliveryLog;
  readonly health: HealthTracker;
  readonly firstAttempts: FirstAttemptGate;
}

export interface DeliveryLog {
  get(id: string): Promise<Delivery | null>;
  /** Those of up to 100 deliveries that exist, by id. */
  getMany(ids: readonly string[]): Promise<ReadonlyMap<string, Delivery>>;
}

/** An entry of an endpoint's outbox at work. */
export interface WebhookWork<Content> {
  readonly entry: Entry;
  readonly content: Content;
  readonly slice: Slice<DeliveryRecord>;
}

export interface Attempting {
  readonly delivery: Delivery;
  readonly body: Uint8Array;
  /** The endpoint as it is now. */
  readonly ready: Ready;
}

/**
 * Makes the next attempt of a delivery, or ends it when its endpoint gets nothing any more; answers
 * the delivery as it is then.
 */
export async function attempt(
  { delivery, body, ready }: Attempting,
  context: Pick<WebhookContext, "dependencies" | "health" | "receiver">,
): Promise<Delivery> {
  const { clock, chance, report } = context.dependencies;
  if (ready.outcome === "refused") return endedDelivery(delivery, clock.now(), ready.error);
  const { secrets, connection } = ready;
  const sent = await sendDelivery({ delivery, body, secrets, connection }, clock);
  context.health.note(sent.attempt, ready.endpoint);
  const attempted = afterAttempt(delivery, sent.attempt, {
    retryAfter: sent.retryAfter,
    now: clock.now(),
    fraction: chance.fraction(),
  });
  report?.([
    figures(
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
  await disableIfHopeless({ attempt: sent.attempt, attempted, ready }, context);
  return attempted;
}

/** Before the attempt is logged: a crash in between makes it again. */
async function disableIfHopeless(
  tried: {
    readonly attempt: Attempt;
    readonly attempted: Delivery;
    readonly ready: Extract<Ready, { outcome: "ready" }>;
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
