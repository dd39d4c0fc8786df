import { type HealthTracker, isEndpointFailing } from "./endpoint-health.ts";

/** Decides whether a first attempt is made or, for a failing endpoint, postponed. */
export interface FirstAttemptGate {
  /**
   * Calls `make`, or returns null if the endpoint is failing. `mayProbe`: true for the first attempt
   * of a run, which may be the probe.
   */
  pass<Result>(make: () => Promise<Result>, mayProbe: boolean): Promise<Result | null>;
}

/**
 * Creates the gate of a session. If the endpoint was failing at the start of the session, one first
 * attempt is made as a probe and the others wait for it. If it succeeds, the others follow in order.
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
