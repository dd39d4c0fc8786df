import assert from "node:assert/strict";
import type { EndpointScene } from "./deliveries-endpoint.ts";
import { nameOf } from "./deliveries-requests.ts";

const usualMax = 4;

/**
 * Checks that no session sent more concurrent requests to an endpoint than the highest limit that
 * the endpoint ever had (invariant D13). In a session, a delivery worker drains one endpoint.
 * @throws Error if a check fails
 */
export function checkRequestsAtOnce({ scene, endpoint, sent }: EndpointScene): void {
  const settings = endpoint.states.flatMap(({ value }) =>
    value === null ? [] : [value.endpoint.requestsAtOnce ?? usualMax],
  );
  const most = Math.max(...settings);
  for (const request of sent) {
    assert.ok(
      request.atOnce <= most,
      `${nameOf(request)}: ${request.atOnce} requests at once, at most ${most} allowed`,
    );
    if (request.atOnce > usualMax)
      scene.world.reached("an endpoint received more than 4 concurrent requests");
  }
  const isFull = most > 1 && sent.some(({ atOnce }) => atOnce === most);
  if (isFull) scene.world.reached("an endpoint received as many concurrent requests as it allows");
}
