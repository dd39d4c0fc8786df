import type { Chance, Clock } from "../base/clock.ts";
import type { SecretBox } from "../base/secret-box.ts";
import { attemptsMax } from "../outbox/backoff.ts";
import { type Attempt, type Delivery, settlementOf, unsentAttempt } from "./delivery.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { type Endpoint, endpointSecretContext, signingSecrets } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { archivedLine, type EventBodies, unpackBody } from "../events/event-archive.ts";
import type { SendResult, Sender } from "./sender.ts";
import { signatureHeader, standardHeaders } from "./signature.ts";
import { done, type Lease, messageDelay, newLease, readinessOf, type WorkOutcome } from "./work.ts";

export interface AttemptDependencies {
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly bodies: EventBodies;
  readonly secrets: SecretBox;
  readonly sender: Sender;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Everything that an attempt needs, or why there can be none. */
export type Parcel =
  | {
      readonly outcome: "ready";
      readonly url: string;
      readonly body: Uint8Array;
      readonly secrets: readonly string[];
    }
  | { readonly outcome: "refused"; readonly error: string };

export interface Sending {
  readonly accountId: string;
  /** Claimed under `lease`, with the number of this attempt. */
  readonly delivery: Delivery;
  readonly parcel: Parcel;
  readonly lease: Lease;
}

const responseBytesMax = 1_024;

/** Makes the next attempt of a delivery, if it is due and nobody else is at it. */
export async function attemptDelivery(
  accountId: string,
  id: string,
  dependencies: AttemptDependencies,
): Promise<WorkOutcome> {
  const { deliveries, endpoints, clock, chance } = dependencies;
  const delivery = await deliveries.get(accountId, id);
  if (delivery === null) return done;
  const readiness = readinessOf(delivery, clock.now());
  if (readiness !== "ready") return readiness;
  const endpoint = await endpoints.get(accountId, delivery.endpointId);
  // Whatever of ours can fail comes before the claim, so that it uses up no attempt.
  const parcel = await packParcel({ accountId, delivery, endpoint }, dependencies);
  const now = clock.now();
  const lease = newLease(now, chance);
  const attempt = delivery.attempt + 1;
  if (!(await deliveries.claim(accountId, id, { ...lease, now, attempt }))) return done;
  const sending = { accountId, delivery: { ...delivery, attempt }, parcel, lease };
  await sendAndSettle(sending, dependencies);
  return done;
}

/** Looks up body and secrets of a delivery. */
export async function packParcel(
  {
    accountId,
    delivery,
    endpoint,
  }: {
    readonly accountId: string;
    readonly delivery: Delivery;
    readonly endpoint: Endpoint | null;
  },
  { bodies, secrets, clock }: AttemptDependencies,
): Promise<Parcel> {
  const refusal = refusalOf(endpoint);
  if (endpoint === null || refusal !== null) {
    return { outcome: "refused", error: refusal ?? "endpoint_deleted" };
  }
  const line = await archivedLine({ accountId, runId: delivery.runId }, delivery.eventId, bodies);
  if (line === null) return { outcome: "refused", error: "event_expired" };
  const context = endpointSecretContext(accountId, endpoint.id);
  const opened: string[] = [];
  for (const sealed of signingSecrets(endpoint, clock.now())) {
    opened.push(await secrets.open(sealed, context));
  }
  return { outcome: "ready", url: endpoint.url, body: unpackBody(line), secrets: opened };
}

/** Why an endpoint receives nothing (specification, section "Events", rule 2); null when it does. */
export function refusalOf(endpoint: Endpoint | null): string | null {
  if (endpoint === null) return "endpoint_deleted";
  return endpoint.enabled ? null : "endpoint_disabled";
}

/** Sends a claimed delivery and logs the outcome; true when it was delivered. */
export async function sendAndSettle(
  { accountId, delivery, parcel, lease }: Sending,
  { deliveries, sender, queue, clock, chance }: AttemptDependencies,
): Promise<boolean> {
  const at = clock.now();
  let attempt: Attempt;
  let retryAfter: string | null = null;
  if (parcel.outcome === "refused") {
    attempt = unsentAttempt(delivery.attempt, at, parcel.error);
  } else if (delivery.attempt > attemptsMax) {
    attempt = unsentAttempt(delivery.attempt, at, "attempts_lost");
  } else {
    const headers = deliveryHeaders(delivery, parcel, at);
    const result = await sender.send({ url: parcel.url, headers, body: parcel.body });
    attempt = attemptOf(result, delivery.attempt, at);
    retryAfter = result.outcome === "answered" ? result.retryAfter : null;
  }
  const now = clock.now();
  const settlement =
    parcel.outcome === "refused"
      ? ({ state: "failed", dueAt: null } as const)
      : settlementOf(attempt, { retryAfter, now, fraction: chance.fraction() });
  const attempts = [...delivery.attempts, attempt];
  const change = { token: lease.token, attempts, settlement };
  const kept = await deliveries.settle(accountId, delivery.id, change);
  const delay = settlement.dueAt === null ? null : messageDelay(settlement.dueAt, now);
  if (kept && delay !== null) {
    await queue.send([{ kind: "delivery", accountId, id: delivery.id }], delay);
  }
  return settlement.state === "delivered";
}

function deliveryHeaders(
  delivery: Delivery,
  { body, secrets }: Extract<Parcel, { outcome: "ready" }>,
  at: Date,
): Readonly<Record<string, string>> {
  const signing = { body, secrets, at };
  return {
    "Content-Type": "application/json",
    "User-Agent": "Service-Webhooks/1.0",
    "Service-Signature": signatureHeader(signing),
    "Service-Event-Type": delivery.eventType,
    "Service-Delivery-Id": delivery.id,
    "Service-Attempt": String(delivery.attempt),
    ...standardHeaders(delivery.eventId, signing),
  };
}

function attemptOf(result: SendResult, attempt: number, at: Date): Attempt {
  const { durationMs } = result;
  const base = { attempt, at: at.toISOString(), durationMs };
  if (result.outcome === "failed") {
    return { ...base, status: null, error: result.error, response: null };
  }
  const { status } = result;
  const error = status >= 200 && status < 300 ? null : `status_${status}`;
  const response = Buffer.from(result.body.subarray(0, responseBytesMax)).toString();
  return { ...base, status, error, response };
}
