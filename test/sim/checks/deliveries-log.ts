import assert from "node:assert/strict";
import { attemptsMax, retryWaitsSeconds } from "../../../shared/outbox/backoff.ts";
import type { Attempt, Delivery } from "../../../shared/webhooks/delivery.ts";
import type { SentRequest } from "../receivers.ts";
import { clocksAgree, type EndpointScene } from "./deliveries-endpoint.ts";

/** True for why nothing was sent. */
export const isEnd = (error: string | null): boolean =>
  error === "endpoint_disabled" || error === "endpoint_deleted";

/** The log says what was done: no attempt that was never made, none that is still to come. */
export function checkLogged(one: EndpointScene, delivery: Delivery): void {
  const { scene, sent, meant } = one;
  const { attempts, attemptCount, state } = delivery;
  const name = `log of ${delivery.eventId} to ${delivery.endpointId}`;
  if (delivery.runId === null) return;
  assert.ok(meant.has(delivery.id), `${name}: there is such an event`);
  const requests = sent.filter(({ headers }) => headers["Service-Delivery-Id"] === delivery.id);
  const ended = attempts.filter(({ error }) => isEnd(error));
  for (const attempt of attempts) if (!isEnd(attempt.error)) checkMade(attempt, requests, name);
  assert.ok(attemptCount <= requests.length + ended.length, `${name}: attempts`);
  assert.deepEqual(
    attempts.map(({ attempt }) => attempt),
    attempts.map((_, n) => attemptCount - attempts.length + 1 + n),
    `${name}: numbers of attempts`,
  );
  assert.equal(delivery.nextAttemptAt, null, `${name}: next attempt`);
  assert.equal(delivery.requestedAt, null, `${name}: open request`);
  const last = attempts.at(-1);
  assert.ok(last !== undefined, `${name}: attempts`);
  assert.equal(state, last.error === null ? "delivered" : "failed", name);
  if (state === "failed") checkGivenUp(one, delivery, name);
  if (requests.length > attemptCount) scene.world.sighted("an attempt that nobody could log");
  if (clocksAgree(scene)) checkWaits(one, delivery, name);
}

function checkMade(attempt: Attempt, requests: readonly SentRequest[], name: string): void {
  const made = requests.find(
    ({ headers, begunAt }) =>
      headers["Service-Attempt"] === String(attempt.attempt) && begunAt === Date.parse(attempt.at),
  );
  const what = `${name}: attempt ${attempt.attempt} at ${attempt.at}`;
  if (made === undefined) throw new Error(`${what} was never made`);
  // A receiver that takes a request and breaks off has a status that nobody heard.
  if (attempt.error !== "connection_failed") {
    assert.equal(attempt.status, made.status === "failed" ? null : made.status, what);
  } else assert.equal(attempt.status, null, what);
}

function checkGivenUp({ scene }: EndpointScene, { attempts, tries }: Delivery, name: string): void {
  const { sighted } = scene.world;
  const { error = null, status = null } = attempts.at(-1) ?? {};
  assert.ok(
    isEnd(error) || status === 410 || tries === attemptsMax,
    `${name}: given up for a reason (${error}, ${tries} tries)`,
  );
  if (isEnd(error)) sighted(`a delivery that ends for ${error}`);
  else
    sighted(status === 410 ? "a receiver that is gone" : "a delivery given up after ten attempts");
}

/** Nobody is sent to again at once after a failure, unless somebody asked for it. */
function checkWaits({ scene }: EndpointScene, delivery: Delivery, name: string): void {
  const { attempts, endpointId, id } = delivery;
  const { redeliveries, recoveries } = scene.deeds;
  const wasAsked =
    redeliveries.some(({ deliveryId }) => deliveryId === id) ||
    recoveries.some((asked) => asked.endpointId === endpointId);
  if (wasAsked) return;
  attempts.forEach((attempt, n) => {
    const before = attempts[n - 1];
    if (before === undefined || before.error === null) return;
    if (isEnd(attempt.error) || isEnd(before.error)) return;
    const waited = Date.parse(attempt.at) - Date.parse(before.at) - before.durationMs;
    const scheduled = (retryWaitsSeconds[before.attempt - 1] ?? 0) * 1_000;
    assert.ok(
      waited >= Math.floor(scheduled * 0.9),
      `${name}: waited ${waited} ms after ${before.attempt}`,
    );
  });
}
