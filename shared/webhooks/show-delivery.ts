import type { InferOutput } from "valibot";
import { readRunIndex, type EventBodies } from "../events/event-archive.ts";
import { envelopeOf } from "../events/find-event.ts";
import type { Delivery } from "./delivery.ts";
import type { webhookDeliveryWithAttemptsSchema } from "./delivery-schema.ts";
import { presentDeliveryWithAttempts } from "./present-delivery.ts";

/**
 * Returns a delivery in its form in API responses, with its attempts and the body of its requests.
 * Reads the body from the archive. The body is null if it has expired.
 */
export async function showDelivery(
  accountId: string,
  delivery: Delivery,
  bodies: EventBodies,
): Promise<InferOutput<typeof webhookDeliveryWithAttemptsSchema>> {
  const body = delivery.testBody ?? (await archivedBody(accountId, delivery, bodies));
  return presentDeliveryWithAttempts(delivery, body);
}

/** Returns the body of an archived event; null if the event has expired. */
async function archivedBody(
  accountId: string,
  { runId, eventId }: Delivery,
  bodies: EventBodies,
): Promise<string | null> {
  if (runId === null) return null;
  const run = await readRunIndex({ accountId, runId }, bodies);
  const event = run?.events.find(({ id }) => id === eventId);
  return event === undefined ? null : envelopeOf({ accountId, runId }, event, bodies);
}
