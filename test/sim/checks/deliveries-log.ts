import assert from "node:assert/strict";
import { attemptsMax, retryWaitsSeconds } from "../../../shared/outbox/backoff.ts";
import type { Attempt, Delivery } from "../../../shared/webhooks/delivery.ts";
import type { SentRequest } from "../receivers.ts";
import { clocksAgree, type EndpointScene } from "./deliveries-endpoint.ts";

/**
 * Returns true for an error with which the service ends a delivery without a request. Returns false
 * for any other error and for null.
 */
export const isEnd = (error: string | null): boolean =>
  error === "endpoint_disabled" || error === "endpoint_deleted";

/**
 * Checks that each attempt in a delivery's log was made, and that no attempt of the delivery is
 * pending.
 * @throws Error if a check fails
 */
export function checkLogged(one: EndpointScene, delivery: Delivery): void {
  const { scene, sent, meant } = one;
  const { attempts, attemptCount, state } = delivery;
  const name = `log of ${delivery.eventId} to ${delivery.endpointId}`;
  if (delivery.runId === null) return;
  assert.ok(meant.has(delivery.id), `${name}: the event does not exist`);
  const tried = sent.filter(({ headers }) => headers["Service-Delivery-Id"] === delivery.id);
  const requests = tried.filter(({ left }) => left);
  for (const attempt of attempts) if (!isEnd(attempt.error)) checkMade(attempt, tried, name);
  assert.ok(
    attemptCount <= requests.length,
    `${name}: ${attemptCount} attempts after ${requests.length} requests`,
  );
  const numbers = attempts.flatMap(({ attempt }) => attempt ?? []);
  assert.deepEqual(
    numbers,
    numbers.map((_, n) => attemptCount - numbers.length + 1 + n),
    `${name}: numbers of requests`,
  );
  checkNumbers(requests, name);
  assert.equal(delivery.nextAttemptAt, null, `${name}: next attempt`);
  assert.equal(delivery.requestedAt, null, `${name}: open request`);
  const last = attempts.at(-1);
  assert.ok(last !== undefined, `${name}: no attempts`);
  assert.equal(state, last.error === null ? "delivered" : "failed", name);
  if (state === "failed") checkFailed(one, delivery, name);
  if (requests.length > attemptCount) scene.world.reached("an attempt was made and not logged");
  if (clocksAgree(scene)) checkWaits(one, delivery, name);
}

/**
 * Checks the header `Service-Attempt`, which counts the requests of a delivery. Only a request that
 * was not logged may have the same number as the next request.
 */
function checkNumbers(requests: readonly SentRequest[], name: string): void {
  let highest = 0;
  for (const { headers } of requests) {
    const number = Number(headers["Service-Attempt"]);
    assert.ok(
      number >= 1 && number <= highest + 1,
      `${name}: request number ${number} after number ${highest}`,
    );
    highest = Math.max(highest, number);
  }
}

function checkMade(attempt: Attempt, tried: readonly SentRequest[], name: string): void {
  const made = tried.find(
    ({ headers, begunAt, left }) =>
      begunAt === Date.parse(attempt.at) &&
      left === (attempt.attempt !== null) &&
      (!left || headers["Service-Attempt"] === String(attempt.attempt)),
  );
  const what = `${name}: attempt ${attempt.attempt} at ${attempt.at}`;
  if (made === undefined) throw new Error(`${what}: no request was sent`);
  // If a receiver accepts a request and then resets the connection, `made` has a status that the
  // process never received.
  if (attempt.error !== "connection_failed") {
    assert.equal(attempt.status, made.status === "failed" ? null : made.status, what);
  } else assert.equal(attempt.status, null, what);
}

function checkFailed({ scene }: EndpointScene, { attempts, tries }: Delivery, name: string): void {
  const { reached } = scene.world;
  const { error = null, status = null } = attempts.at(-1) ?? {};
  assert.ok(
    isEnd(error) || status === 410 || tries === attemptsMax,
    `${name}: failed before its last retry (${error}, ${tries} tries)`,
  );
  if (isEnd(error)) reached(`a delivery ended for ${error}`);
  else reached(status === 410 ? "a receiver returns 410" : "a delivery exhausted its retries");
}

/**
 * Checks the retry delays of a delivery. Ignores a delivery if a user requested an attempt of it.
 */
function checkWaits({ scene }: EndpointScene, delivery: Delivery, name: string): void {
  const { attempts, endpointId, id } = delivery;
  const { redeliveries, recoveries } = scene.userRequests;
  const wasRequested =
    redeliveries.some(({ deliveryId }) => deliveryId === id) ||
    recoveries.some((request) => request.endpointId === endpointId);
  if (wasRequested) return;
  attempts.forEach((attempt, n) => {
    const before = attempts[n - 1];
    if (before === undefined || before.error === null) return;
    if (isEnd(attempt.error) || isEnd(before.error)) return;
    const waited = Date.parse(attempt.at) - Date.parse(before.at) - before.durationMs;
    const scheduled = (retryWaitsSeconds[n - 1] ?? 0) * 1_000;
    assert.ok(
      waited >= Math.floor(scheduled * 0.9),
      `${name}: waited only ${waited} ms after attempt ${n}`,
    );
  });
}
