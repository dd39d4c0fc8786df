import { type HealthTracker, isFailing } from "./endpoint-health.ts";

/** Lets first attempts through, or spares a failing endpoint from them. */
export interface FirstAttemptGate {
  /**
   * Makes an attempt; null when the endpoint is failing and is to be spared. `mayProbe`: true for
   * the first of a run's attempts.
   */
  pass<Result>(make: () => Promise<Result>, mayProbe: boolean): Promise<Result | null>;
}

/**
 * The gate of one session. An endpoint that was failing when the session began gets one first
 * attempt as a probe, which the others wait for: when it succeeds, the runs go on in their order.
 */
export function firstAttemptGate(health: HealthTracker): FirstAttemptGate {
  let hasProbe = isFailing(health.current());
  let probe: Promise<unknown> = Promise.resolve();
  return {
    async pass(make, mayProbe) {
      if (hasProbe && mayProbe && isFailing(health.current())) {
        hasProbe = false;
        const probing = make();
        probe = probing.catch(() => undefined);
        return probing;
      }
      await probe;
      return isFailing(health.current()) ? null : make();
    },
  };
}
