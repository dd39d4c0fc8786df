import * as v from "valibot";
import type { RandomSource, Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { oneOf } from "../base/valid-values.ts";
import { type EventEnvelope, type EventType, eventTypes, serializeEvent } from "../events/event.ts";
import { afterAttempt, type Delivery, failDelivery, newDelivery } from "./delivery.ts";
import { sendDelivery } from "./delivery-attempt.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";
import type { Sender } from "../outgoing/sender.ts";
import { endpointRefusal, openSecrets } from "./receiver.ts";
import { sampleData } from "./sample-events.ts";

/** Body of `POST /v1/webhook_endpoints/{id}/test`. */
export const testEndpointBody = v.object({
  type: v.optional(
    v.pipe(
      oneOf("type", eventTypes),
      v.description("Type of the test event. Its data has invented values."),
    ),
    "webhook.test",
  ),
});

export interface TestEndpointDependencies {
  readonly endpoints: Pick<EndpointStore, "get">;
  readonly deliveries: Pick<DeliveryStore, "put">;
  readonly secrets: SecretBox;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/**
 * Sends one signed test event of a type immediately, without retries, and records the delivery in
 * the delivery log. The endpoint need not subscribe to the type. If the endpoint is disabled, sends
 * nothing and records a failed delivery. Returns the delivery.
 * @throws 404 NOT_FOUND for an unknown endpoint
 */
export async function testEndpoint(
  ref: EndpointRef & { readonly now: Date; readonly type: EventType },
  dependencies: TestEndpointDependencies,
): Promise<Delivery> {
  const { accountId, endpointId, now, type } = ref;
  const at = now.toISOString();
  const { endpoints, deliveries, random } = dependencies;
  const endpoint = await existingEndpoint(ref, endpoints);
  const event: EventEnvelope = {
    id: newId("event", now, random),
    type,
    created_at: at,
    data: sampleData({ type, at, endpointId }),
  };
  const refusal = endpointRefusal(endpoint);
  const delivery =
    refusal === null
      ? await sendTest(endpoint, event, dependencies)
      : failDelivery(deliveryOf(endpoint, event), now, refusal);
  await deliveries.put(accountId, delivery);
  return delivery;
}

const deliveryOf = (endpoint: WebhookEndpoint, event: EventEnvelope) => ({
  ...newDelivery({
    event: { id: event.id, type: event.type, createdAt: event.created_at },
    watchlistId: null,
    runId: null,
    endpointId: endpoint.id,
  }),
  testBody: serializeEvent(event, 0).body,
});

/** Sends a test event in one attempt, and returns the delivery as delivered or failed. */
async function sendTest(
  endpoint: WebhookEndpoint,
  event: EventEnvelope,
  { secrets, sender, clock }: TestEndpointDependencies,
): Promise<Delivery> {
  const delivery = deliveryOf(endpoint, event);
  const body = Buffer.from(delivery.testBody);
  const opened = await openSecrets(endpoint, clock.now(), secrets);
  const connection = sender.connect(endpoint.url, 1);
  try {
    const { attempt } = await sendDelivery({ delivery, body, secrets: opened, connection }, clock);
    const context = { retryAfter: null, now: clock.now(), fraction: 0 };
    const { state, ...attempted } = afterAttempt(delivery, attempt, context);
    // Test deliveries are not retried, so a failed attempt fails the delivery.
    return {
      ...attempted,
      state: state === "delivered" ? state : "failed",
      nextAttemptAt: null,
    };
  } finally {
    connection.close();
  }
}
