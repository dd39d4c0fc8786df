import assert from "node:assert/strict";
import { limits } from "../../../shared/base/limits.ts";
import type { Attempt } from "../../../shared/webhooks/delivery.ts";
import { clockSlackMs, type EndpointScene } from "./deliveries-endpoint.ts";
import { type KnownEndpoint, type Since, statesWithin } from "./deliveries-history.ts";

const dayMs = 24 * 60 * 60_000;
/**
 * The largest age of a session's cached endpoint, in milliseconds: one second in the cache, and at
 * most three seconds for the lookup.
 */
const knownMs = 4_000;

/**
 * Checks the reaction of the service to failures of an endpoint's receiver (invariant D12).
 * @throws Error if a check fails
 */
export function checkHealth(one: EndpointScene): void {
  const attempts = [...one.log.values()]
    .filter(({ runId }) => runId !== null)
    .flatMap((delivery) => delivery.attempts);
  for (const attempt of attempts) if (attempt.status === 410) checkGone(one, attempt);
  one.endpoint.states.forEach((state, n) => {
    const before = one.endpoint.states[n - 1]?.value?.endpoint;
    if (before?.enabled === true) checkDisabled(one, state, attempts);
  });
  checkLastSuccess(one, attempts);
}

/**
 * Checks that the endpoint was disabled by each attempt in the log that got status 410, unless the
 * user changed the URL of the endpoint at the same time.
 */
function checkGone({ endpoint, scene }: EndpointScene, { at }: Attempt): void {
  const begunAt = Date.parse(at);
  const slack = clockSlackMs(scene);
  const known = statesWithin(endpoint.states, begunAt - knownMs - slack, begunAt + slack);
  const receivers = new Set(known.map((state) => state?.endpoint.receivingSince));
  const after = statesWithin(endpoint.states, begunAt - slack, scene.world.tasks.now());
  const isOver = after.some(
    (state) => state?.endpoint.enabled !== true || !receivers.has(state.endpoint.receivingSince),
  );
  assert.ok(isOver, `${endpoint.id} was not disabled after 410 at ${at}`);
}

/**
 * Checks that the service disables an endpoint only after a 410 response, or if no attempt has
 * succeeded for `webhookFailingDaysMax` days.
 */
function checkDisabled(
  { endpoint, scene, sent }: EndpointScene,
  { at, value }: Since<KnownEndpoint>,
  attempts: readonly Attempt[],
): void {
  if (value === null || value.endpoint.enabled) return;
  const { disabledReason, receivingSince } = value.endpoint;
  const name = `${endpoint.id}: disabled at ${new Date(at).toISOString()} as ${disabledReason}`;
  if (disabledReason === "gone") {
    const gone = sent.filter(({ status, startedAt }) => status === 410 && startedAt <= at);
    const isOfReceiver = gone.some(({ startedAt }) =>
      statesWithin(endpoint.states, startedAt - knownMs, startedAt).some(
        (state) => state?.endpoint.receivingSince === receivingSince,
      ),
    );
    assert.ok(isOfReceiver, `${name}, although its receiver sent no 410`);
    scene.world.reached("an endpoint was disabled after 410");
  }
  if (disabledReason === "failing") {
    const from = at - limits.webhookFailingDaysMax * dayMs + clockSlackMs(scene);
    const successes = attempts.filter(
      ({ error, at: begunAt }) =>
        error === null && Date.parse(begunAt) > from && Date.parse(begunAt) < at - 60_000,
    );
    assert.deepEqual(successes, [], name);
    scene.world.reached("an endpoint was disabled for failing");
  }
}

/** Checks that the last success that the endpoint shows is in the log. */
function checkLastSuccess({ endpoint, scene }: EndpointScene, attempts: readonly Attempt[]): void {
  const target = `${endpoint.accountId}#outbox ${endpoint.id}`;
  const shown = scene.history.health.get(target)?.lastSuccessAt ?? "";
  const delivered = attempts.filter(({ error }) => error === null).map(({ at }) => at);
  if (shown !== "")
    assert.ok(delivered.includes(shown), `${endpoint.id}: no success at ${shown} is in the log`);
  else
    assert.deepEqual(delivered, [], `${endpoint.id}: has no last success in spite of deliveries`);
}
