import assert from "node:assert/strict";
import { type WebhookEndpoint, isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import type { RequestedSpan, DeliveryScene, PublishedRun } from "../scenarios/deliveries-scene.ts";
import { clockSlackMs, type EndpointScene, type Meant } from "./deliveries-endpoint.ts";
import { statesWithin } from "./deliveries-history.ts";

/**
 * Returns true if a run of the account ended in the requested time span, both ends included, and
 * was completely published before the request.
 */
export function wasPublishedWithin(
  { run, publishes }: PublishedRun,
  { accountId, since, until, requestedAt }: RequestedSpan,
): boolean {
  const createdAt = run.events[0]?.createdAt ?? "";
  if (run.accountId !== accountId || createdAt < since || createdAt > until) return false;
  return publishes.some(({ endedAt }) => endedAt !== null && endedAt < requestedAt);
}

/**
 * Checks that each recovery sent all events of its time span to the endpoint.
 * @throws Error if a check fails
 */
export function checkRecoveries(one: EndpointScene): void {
  const { scene, endpoint, meant } = one;
  for (const request of scene.userRequests.recoveries) {
    if (!request.isConfirmed || request.endpointId !== endpoint.id) continue;
    const same = sameSince(one, request);
    if (same === null) continue;
    for (const [id, { run, event }] of meant) {
      const { webhookEndpointId: named } = run.run;
      if (!wasPublishedWithin(run, request) || (named !== null && named !== endpoint.id)) continue;
      // An endpoint receives no events that are older than the endpoint.
      const isMeant =
        named !== null || (isSubscribed(same, event.type) && event.createdAt >= same.createdAt);
      if (isMeant) checkRecovered(one, { id, event, request });
    }
  }
}

/**
 * Returns the endpoint if it was always enabled, with the same event filter, since a user requested
 * the recovery; null otherwise.
 */
function sameSince(
  { scene, endpoint }: EndpointScene,
  { requestedAt }: RequestedSpan,
): WebhookEndpoint | null {
  const since = statesWithin(endpoint.states, requestedAt, scene.world.tasks.now());
  const first = since[0]?.endpoint ?? null;
  const isSame = since.every(
    (state) =>
      state?.endpoint.enabled === true &&
      JSON.stringify(state.endpoint.events) === JSON.stringify(first?.events),
  );
  return isSame ? first : null;
}

function checkRecovered(
  { scene, endpoint, log, isTroubled }: EndpointScene,
  {
    id,
    event,
    request,
  }: Pick<Meant, "event"> & { readonly id: string; readonly request: RequestedSpan },
): void {
  const at = new Date(request.requestedAt).toISOString();
  const name = `${event.id} for ${endpoint.id}, recovered at ${at}`;
  const delivery = log.get(id);
  if (delivery === undefined) throw new Error(`${name}: the log has no such entry.`);
  if (delivery.state === "delivered") return;
  // An attempt may have been in progress at the time of the request, and may be logged later.
  const slackMs = (isTroubled ? 60 * 60_000 : 16_000) + clockSlackMs(scene);
  const lastAt = Date.parse(delivery.attempts.at(-1)?.at ?? "");
  assert.ok(lastAt > request.requestedAt - slackMs, `${name}: was not attempted after that`);
}

/**
 * Checks that each requested redelivery led to an attempt, if the endpoint stayed enabled.
 * @throws Error if a check fails
 */
export function checkRedeliveries({ scene, endpoint, sent }: EndpointScene): void {
  const { userRequests, history, world } = scene;
  for (const request of userRequests.redeliveries) {
    if (!request.isConfirmed || request.endpointId !== endpoint.id) continue;
    if (!wasNoted(scene, request)) {
      world.reached("a redelivery was requested while another was pending");
      continue;
    }
    const since = statesWithin(endpoint.states, request.requestedAt, world.tasks.now());
    if (since.some((state) => state?.endpoint.enabled !== true)) continue;
    const made = sent.filter(
      ({ headers, startedAt }) =>
        headers["Service-Delivery-Id"] === request.deliveryId && startedAt >= request.requestedAt,
    );
    const at = new Date(request.requestedAt).toISOString();
    assert.ok(
      made.length > 0,
      `redelivery of ${request.deliveryId}, requested at ${at}: no request was sent`,
    );
    if ((history.delivered.get(request.deliveryId) ?? Infinity) < request.requestedAt) {
      world.reached("a delivered event was redelivered");
    }
  }
}

/**
 * Returns true if the call stored its request for a redelivery. It stores nothing while an earlier
 * request for the same delivery is pending.
 */
const wasNoted = (
  { history }: DeliveryScene,
  {
    deliveryId,
    requestedAt,
    answeredAt,
  }: { deliveryId: string; requestedAt: number; answeredAt: number },
): boolean =>
  (history.requested.get(deliveryId) ?? []).some((at) => at >= requestedAt && at <= answeredAt);
