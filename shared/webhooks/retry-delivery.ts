import { readLine, unpackBody } from "../events/event-archive.ts";
import { type OutboxEntry, isDue } from "../outbox/outbox.ts";
import { type Delivery, failDelivery, newDelivery } from "./delivery.ts";
import { type DeliveryContent, retryEntries } from "./outbox-entries.ts";
import {
  attempt,
  type AttemptRequest,
  type WebhookContext,
  type WebhookWork,
} from "./attempt-delivery.ts";
import { postpone } from "./first-attempts.ts";

/**
 * Makes the next attempt of a delivery, records it, and replaces the outbox entry by the entry of
 * the next retry, if any. If the event has expired, sends nothing and records the delivery as
 * failed. If the log shows that the outbox entry is obsolete, only removes the entry. If the
 * endpoint is enabled and the entry is not due yet, does nothing.
 */
export async function retryDelivery(
  { entry, content, slice }: WebhookWork<DeliveryContent>,
  context: WebhookContext,
): Promise<void> {
  const { endpointId, receiver, dependencies, log } = context;
  const known = await log.get(content.deliveryId);
  const delivery = deliveryToAttempt(known, { entry, content, endpointId });
  if (delivery === null) return slice.record({ removed: entry });
  const body = await bodyOf(content, context);
  const ready = await receiver.ready();
  const now = dependencies.clock.now();
  // While an endpoint is disabled, a session also reads entries that are not due yet. If the
  // endpoint is enabled during the session, these entries wait until they are due.
  if (ready.outcome === "ready" && !isDue(entry, now)) return;
  const attempted =
    body === null
      ? failDelivery(delivery, now, "event_expired")
      : await retry({ delivery, body, ready }, content, context);
  await slice.record({
    removed: entry,
    added: retryEntries(attempted),
    records: [{ delivery: attempted, answersRequest: content.requested }],
  });
}

/**
 * Makes an attempt, and returns the delivery after it. While the endpoint is failing, an attempt of
 * a recovery (`inOrder`) is handled like a first attempt: it is made as a trial, or postponed.
 */
async function retry(
  attempting: AttemptRequest,
  { inOrder }: DeliveryContent,
  context: WebhookContext,
): Promise<Delivery> {
  if (!inOrder || attempting.ready.outcome === "refused") return attempt(attempting, context);
  const { receiver, dependencies } = context;
  const tried = await context.firstAttempts.pass(
    async () => attempt({ ...attempting, ready: await receiver.ready() }, context),
    true,
  );
  return tried ?? postpone(attempting.delivery, dependencies.clock.now());
}

/** Returns the delivery for the next attempt; null if the entry is obsolete. */
function deliveryToAttempt(
  known: Delivery | null,
  {
    entry,
    content,
    endpointId,
  }: {
    readonly entry: OutboxEntry;
    readonly content: DeliveryContent;
    readonly endpointId: string;
  },
): Delivery | null {
  // A redelivery that a client requested restarts the retry schedule.
  if (content.requested) return known === null ? null : { ...known, tries: 0 };
  if (known !== null) {
    const isNext = known.state === "pending" && known.nextAttemptAt === entry.dueAt;
    return isNext ? known : null;
  }
  const { eventId, eventType, watchlistId, runId, createdAt } = content;
  const event = { id: eventId, type: eventType, createdAt };
  return newDelivery({ event, watchlistId, runId, endpointId });
}

/** Reads the body of a delivery from the archive; null if the event has expired. */
async function bodyOf(
  { runId, eventId }: DeliveryContent,
  { accountId, run, dependencies }: WebhookContext,
): Promise<Uint8Array | null> {
  const archived = await run(runId);
  const event = archived?.events.find(({ id }) => id === eventId);
  if (event === undefined) return null;
  const gzip = await readLine({ accountId, runId }, event, dependencies.bodies);
  return gzip === null ? null : unpackBody(gzip);
}
