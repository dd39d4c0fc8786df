import { type HealthTracker, isEndpointFailing } from "./endpoint-health.ts";

/**
 * Decides whether a first attempt is made or postponed. Postpones first attempts to a failing
 * endpoint.
 */
export interface FirstAttemptGate {
  /**
   * Calls `make` and returns its result. Returns null without a call if the endpoint is failing.
   * `mayProbe` is true for the first attempt of a run: such an attempt may be the probe.
   */
  pass<Result>(make: () => Promise<Result>, mayProbe: boolean): Promise<Result | null>;
}

/**
 * Creates the gate of a session. If the endpoint is failing at the start of the session, one first
 * attempt passes as a probe. The other first attempts wait for its result. If the probe succeeds,
 * they follow in order.
 */
export function firstAttemptGate(health: HealthTracker): FirstAttemptGate {
  let hasProbe = isEndpointFailing(health.current());
  let probe: Promise<unknown> = Promise.resolve();
  return {
    async pass(make, mayProbe) {
      if (hasProbe && mayProbe && isEndpointFailing(health.current())) {
        hasProbe = false;
        const probing = make();
        probe = probing.catch(() => undefined);
        return probing;
      }
      await probe;
      return isEndpointFailing(health.current()) ? null : make();
    },
  };
}
