import assert from "node:assert/strict";
import type { EndpointScene } from "./deliveries-endpoint.ts";
import type { Claim } from "./deliveries-history.ts";
import { isSuccess } from "./deliveries-reached.ts";

const failuresInRowMax = 3;

/**
 * A session that finds an endpoint failing makes one first attempt at most, unless something gets
 * through: the rest of its runs goes to the retry schedule.
 */
export function checkSpared({ scene, endpoint, sent }: EndpointScene): void {
  const { claims, logged } = scene.history;
  const own = claims.filter(({ target }) => target.endsWith(` ${endpoint.id}`));
  own.forEach((claim, n) => {
    if (claim.failuresInRow < failuresInRowMax) return;
    const until = own[n + 1]?.at ?? Infinity;
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
    if (firstAttempts.length === 1) scene.world.sighted("a first attempt to a failing endpoint");
  });
}

const nameOf = ({ target, at, failuresInRow }: Claim, made: number): string =>
  `${target} claimed at ${new Date(at).toISOString()} after ${failuresInRow} failures in a row: ` +
  `${made} first attempts`;
