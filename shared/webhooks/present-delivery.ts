import type { InferOutput } from "valibot";
import { type Attempt, type Delivery, publicStateOf } from "./delivery.ts";
import type {
  webhookDeliverySchema,
  webhookDeliveryWithAttemptsSchema,
} from "./delivery-schema.ts";
import { requestHeaders } from "./request-headers.ts";

/** Converts a delivery to its form in API responses, without its attempts. */
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
    state: publicStateOf(delivery),
    attempt_count: delivery.attemptCount,
    last_attempt_at: last?.at ?? null,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    next_attempt_at: delivery.requestedAt ?? delivery.nextAttemptAt,
    created_at: delivery.createdAt,
  };
}

/**
 * Converts a delivery to its form in API responses, with its attempts.
 * @param body body of the delivery's requests; null if the body has expired
 */
export const presentDeliveryWithAttempts = (
  delivery: Delivery,
  body: string | null,
): InferOutput<typeof webhookDeliveryWithAttemptsSchema> => ({
  ...presentDelivery(delivery),
  request_body: body,
  attempts: delivery.attempts.map(({ durationMs, ...attempt }) => ({
    attempt: attempt.attempt,
    at: attempt.at,
    status: attempt.status,
    duration_ms: durationMs,
    error: attempt.error,
    response: attempt.response,
    request_headers: headersOf(delivery, attempt),
  })),
});

/**
 * Returns the headers of an attempt's request; null if no request was sent, or if its signatures
 * were not logged.
 */
function headersOf(
  delivery: Delivery,
  { attempt: number, at, signature }: Pick<Attempt, "attempt" | "at" | "signature">,
): Record<string, string> | null {
  if (number === null || signature === null) return null;
  return { ...requestHeaders(delivery, { number, at: new Date(at), signature }) };
}
