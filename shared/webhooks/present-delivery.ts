import type { InferOutput } from "valibot";
import { type Delivery, shownState } from "./delivery.ts";
import type {
  webhookDeliverySchema,
  webhookDeliveryWithAttemptsSchema,
} from "./delivery-schema.ts";

/** A delivery as lists show it. */
export function presentDelivery(delivery: Delivery): InferOutput<typeof webhookDeliverySchema> {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.id,
    object: "webhook_delivery",
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    watchlist_id: delivery.watchlistId,
    run_id: delivery.runId,
    state: shownState(delivery),
    attempt_count: delivery.attemptCount,
    last_attempt_at: last?.at ?? null,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    next_attempt_at: delivery.requestedAt ?? delivery.nextAttemptAt,
    created_at: delivery.createdAt,
  };
}

/** A delivery with what came of each attempt. */
export const presentDeliveryWithAttempts = (
  delivery: Delivery,
): InferOutput<typeof webhookDeliveryWithAttemptsSchema> => ({
  ...presentDelivery(delivery),
  attempts: delivery.attempts.map(({ durationMs, ...attempt }) => ({
    attempt: attempt.attempt,
    at: attempt.at,
    status: attempt.status,
    duration_ms: durationMs,
    error: attempt.error,
    response: attempt.response,
  })),
});
