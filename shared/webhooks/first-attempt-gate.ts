import { type HealthTracker, isEndpointFailing } from "./endpoint-health.ts";

/**
 * Decides whether a first attempt is made or postponed. While an endpoint is failing, one first
 * attempt of a session is made as a trial, and the other first attempts are postponed.
 */
export interface FirstAttemptGate {
  /**
   * Calls `make` and returns its result. If the attempt is postponed, returns null without calling
   * `make`. Only an attempt with `mayBeTrial` can be the trial.
   */
  pass<Result>(make: () => Promise<Result>, mayBeTrial: boolean): Promise<Result | null>;
}

/**
 * Creates the gate that delays first attempts to a failing endpoint during a session. If the
 * endpoint is failing at the start of the session, the first attempt with `mayBeTrial` becomes the
 * trial. Attempts before the trial are postponed, and attempts after it wait for its result. If the
 * trial succeeds, these attempts are made in order; if it fails, they are postponed. If the
 * endpoint starts to fail during the session, first attempts are postponed without a trial.
 */
export function firstAttemptGate(health: HealthTracker): FirstAttemptGate {
  let needsTrial = isEndpointFailing(health.current());
  let trial: Promise<unknown> = Promise.resolve();
  return {
    async pass(make, mayBeTrial) {
      if (needsTrial && mayBeTrial && isEndpointFailing(health.current())) {
        needsTrial = false;
        const attempted = make();
        trial = attempted.catch(() => undefined);
        return attempted;
      }
      await trial;
      return isEndpointFailing(health.current()) ? null : make();
    },
  };
}
