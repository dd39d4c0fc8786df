import assert from "node:assert/strict";
import { isSubscribed } from "../../../shared/webhooks/endpoint.ts";
import type { SentRequest } from "../receivers.ts";
import type { PublishedRun } from "../scenarios/deliveries-scene.ts";
import { clocksAgree, type EndpointScene } from "./deliveries-endpoint.ts";
import { statesWithin } from "./deliveries-history.ts";
import { isEnd } from "./deliveries-log.ts";
import { nameOf } from "./deliveries-requests.ts";

/**
 * Returns the first and last virtual time at which a run may have been published, in milliseconds.
 */
const windowOf = ({ publishes }: PublishedRun): { from: number; to: number } => ({
  from: Math.min(...publishes.map(({ begunAt }) => begunAt)),
  to: Math.max(...publishes.map(({ endedAt, begunAt }) => endedAt ?? begunAt)),
});

/** Returns true for a status from 200 to 299. */
export const isSuccess = (status: SentRequest["status"]): boolean =>
  typeof status === "number" && status >= 200 && status < 300;

/**
 * Checks that each event of a subscribed endpoint was either delivered or logged as failed
 * (invariant D1).
 * @throws Error if a check fails
 */
export function checkReached({ scene, endpoint, sent, log, meant }: EndpointScene): void {
  const { states } = endpoint;
  for (const [id, { run, event }] of meant) {
    const named = run.run.webhookEndpointId;
    if (named !== null && named !== endpoint.id) continue;
    const { from, to } = windowOf(run);
    const isExpected =
      named !== null ||
      statesWithin(states, from, to).every(
        (state) => state !== null && isSubscribed(state.endpoint, event.type),
      );
    if (!isExpected) continue;
    const name = `${event.id} for ${endpoint.id}`;
    const delivery = log.get(id);
    if (delivery === undefined) throw new Error(`${name}: the log has no such entry.`);
    const since = statesWithin(states, from, scene.world.tasks.now());
    if (!since.every((state) => state?.endpoint.enabled === true)) continue;
    const arrived = sent.filter(
      ({ headers, status }) => headers["Service-Delivery-Id"] === id && isSuccess(status),
    );
    assert.ok(delivery.state === "failed" || arrived.length > 0, `${name}: never arrived`);
    if (arrived.length > 1) scene.world.reached("an event arrived twice");
    assert.ok(
      !isEnd(delivery.attempts.at(-1)?.error ?? null),
      `${name}: ended although the endpoint is enabled`,
    );
  }
}

/**
 * Checks that the first attempts have the order of the run's events, unless a fault or a user
 * changed the order (invariant D3).
 * @throws Error if a check fails
 */
export function checkOrder({ scene, endpoint, sent, log, isTroubled }: EndpointScene): void {
  const { redeliveries, recoveries } = scene.userRequests;
  const wasRequested = [...redeliveries, ...recoveries].some(
    ({ endpointId }) => endpointId === endpoint.id,
  );
  const hasFailed =
    sent.some(({ status }) => !isSuccess(status)) ||
    [...log.values()].some(({ attempts }) => attempts.some(({ error }) => error !== null));
  // A process whose clock is ahead may take over a lease that has not expired yet.
  if (wasRequested || hasFailed || isTroubled || !clocksAgree(scene)) return;
  if (endpoint.states.length > 1) return;
  for (const { run } of scene.runs.values()) {
    const ids = run.events.map(({ id }) => id);
    const arrived = sent
      .map(({ headers }) => String(headers["webhook-id"]))
      .filter((id) => ids.includes(id));
    assert.deepEqual(
      arrived,
      ids.filter((id) => arrived.includes(id)),
      `order of ${run.runId} at ${endpoint.id}`,
    );
    if (arrived.length > 1) scene.world.reached("a run's events arrived in order");
  }
}

/** How long a process may use data that has changed since the read, in milliseconds. */
const readMs = 10_000;

/**
 * Checks that a process does not send a delivery again once the process can read that the delivery
 * succeeded.
 * @throws Error if a check fails
 */
export function checkRepeats({ scene, endpoint, sent }: EndpointScene): void {
  const { recoveries, redeliveries } = scene.userRequests;
  const hasRecovered = recoveries.some(({ endpointId }) => endpointId === endpoint.id);
  for (const request of sent) {
    const id = String(request.headers["Service-Delivery-Id"]);
    const deliveredAt = scene.history.delivered.get(id) ?? Infinity;
    const wasRequested = hasRecovered || redeliveries.some(({ deliveryId }) => deliveryId === id);
    if (wasRequested || request.task.hasPaused === true) continue;
    const name = `${nameOf(request)}: sent again after it was delivered`;
    assert.ok(request.startedAt < deliveredAt + readMs, name);
  }
}
