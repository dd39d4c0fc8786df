import assert from "node:assert/strict";
import type { EndpointScene } from "./deliveries-endpoint.ts";
import { type Claim, statesWithin } from "./deliveries-history.ts";
import { isSuccess } from "./deliveries-reached.ts";

const failuresInRowMax = 3;

/**
 * Checks the first attempts of deliveries to a failing endpoint (invariant D10). In a session, a
 * delivery worker drains one endpoint. It makes only one first attempt until an attempt succeeds,
 * and postpones its other deliveries.
 * @throws Error if a check fails
 */
export function checkFailingEndpoint({ scene, endpoint, sent }: EndpointScene): void {
  const { claims, logged } = scene.history;
  const own = claims.filter(({ target }) => target.endsWith(` ${endpoint.id}`));
  own.forEach((claim, n) => {
    const { failuresInRow = 0, receivingSince } = claim.health ?? {};
    if (failuresInRow < failuresInRowMax) return;
    const until = own[n + 1]?.at ?? Infinity;
    // Skips the session if the endpoint was enabled again or got another URL before its end: the
    // service then ignores the earlier failures.
    const states = statesWithin(endpoint.states, claim.at, until);
    if (!states.every((state) => state?.endpoint.receivingSince === receivingSince)) return;
    const within = sent.filter(
      ({ task, startedAt }) => task === claim.task && startedAt >= claim.at && startedAt < until,
    );
    const successes = within.filter(({ status }) => isSuccess(status));
    const firstSuccessAt = Math.min(...successes.map(({ arrivedAt }) => arrivedAt ?? Infinity));
    const firstAttempts = within.filter(({ headers, startedAt }) => {
      const loggedAt = logged.get(headers["Service-Delivery-Id"] ?? "") ?? Infinity;
      return loggedAt > startedAt && startedAt < firstSuccessAt;
    });
    assert.ok(firstAttempts.length <= 1, nameOf(claim, firstAttempts.length));
    if (firstAttempts.length === 1) scene.world.reached("a failing endpoint got one first attempt");
  });
}

const nameOf = ({ target, at, health }: Claim, made: number): string =>
  `${target} claimed at ${new Date(at).toISOString()} after ${health?.failuresInRow} failures in ` +
  `a row: ${made} first attempts`;
