import assert from "node:assert/strict";
import { type Endpoint, isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import type { AskedSpan, DeliveryScene, PublishedRun } from "../scenarios/deliveries-scene.ts";
import { clockSlackMs, type EndpointScene, type Meant } from "./deliveries-endpoint.ts";
import { statesWithin } from "./deliveries-history.ts";

/** True for a run of the span that was published for sure when somebody asked for the span. */
export function wasPublishedWithin(
  { run, publishes }: PublishedRun,
  { accountId, since, until, askedAt }: AskedSpan,
): boolean {
  const createdAt = run.events[0]?.createdAt ?? "";
  if (run.accountId !== accountId || createdAt < since || createdAt > until) return false;
  return publishes.some(({ endedAt }) => endedAt !== null && endedAt < askedAt);
}

/** Whatever of a span was meant for an endpoint has reached it after it asked for it. */
export function checkRecoveries(one: EndpointScene): void {
  const { scene, endpoint, meant } = one;
  for (const asked of scene.deeds.recoveries) {
    if (!asked.isSure || asked.endpointId !== endpoint.id) continue;
    const same = sameSince(one, asked);
    if (same === null) continue;
    for (const [id, { run, event }] of meant) {
      const { webhookEndpointId: named } = run.run;
      if (!wasPublishedWithin(run, asked) || (named !== null && named !== endpoint.id)) continue;
      // What happened before there was the endpoint was not meant for it.
      const isMeant =
        named !== null || (isSubscribed(same, event.type) && event.createdAt >= same.createdAt);
      if (isMeant) checkRecovered(one, { id, event, asked });
    }
  }
}

/** The endpoint when it was on, with the same filter, ever since; null when it was not. */
function sameSince({ scene, endpoint }: EndpointScene, { askedAt }: AskedSpan): Endpoint | null {
  const since = statesWithin(endpoint.states, askedAt, scene.world.turns.now());
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
  { id, event, asked }: Pick<Meant, "event"> & { readonly id: string; readonly asked: AskedSpan },
): void {
  const at = new Date(asked.askedAt).toISOString();
  const name = `${event.id} for ${endpoint.id}, recovered at ${at}`;
  const delivery = log.get(id);
  if (delivery === undefined) throw new Error(`${name}: is not in the log`);
  if (delivery.state === "delivered") return;
  // What was attempted at that very time may be recorded later.
  const slackMs = (isTroubled ? 60 * 60_000 : 16_000) + clockSlackMs(scene);
  const lastAt = Date.parse(delivery.attempts.at(-1)?.at ?? "");
  assert.ok(lastAt > asked.askedAt - slackMs, `${name}: was attempted`);
}

/** Whoever asked for another attempt got one, unless the endpoint gets nothing. */
export function checkRedeliveries({ scene, endpoint, sent }: EndpointScene): void {
  const { deeds, history, world } = scene;
  for (const asked of deeds.redeliveries) {
    if (!asked.isSure || asked.endpointId !== endpoint.id) continue;
    if (!wasNoted(scene, asked)) {
      world.sighted("a redelivery asked for while one was on its way");
      continue;
    }
    const since = statesWithin(endpoint.states, asked.askedAt, world.turns.now());
    if (since.some((state) => state?.endpoint.enabled !== true)) continue;
    const made = sent.filter(
      ({ headers, startedAt }) =>
        headers["Service-Delivery-Id"] === asked.deliveryId && startedAt >= asked.askedAt,
    );
    const at = new Date(asked.askedAt).toISOString();
    assert.ok(made.length > 0, `redelivery of ${asked.deliveryId} asked at ${at}`);
    if ((history.delivered.get(asked.deliveryId) ?? Infinity) < asked.askedAt) {
      world.sighted("a redelivery of what was delivered");
    }
  }
}

/** True when this very call had it noted: one that finds another open changes nothing. */
const wasNoted = (
  { history }: DeliveryScene,
  { deliveryId, askedAt, answeredAt }: { deliveryId: string; askedAt: number; answeredAt: number },
): boolean =>
  (history.requested.get(deliveryId) ?? []).some((at) => at >= askedAt && at <= answeredAt);
