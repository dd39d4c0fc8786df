import { type HealthTracker, isEndpointFailing } from "./endpoint-health.ts";

/**
 * Decides whether a first attempt is made or postponed. While an endpoint is failing, one first
 * attempt of a session is made as a trial, and the others are postponed.
 */
export interface FirstAttemptGate {
  /**
   * Calls `make` and returns its result. If the attempt is postponed, returns null and does not call
   * `make`. Only an attempt with `mayBeTrial` can be the trial.
   */
  pass<Result>(make: () => Promise<Result>, mayBeTrial: boolean): Promise<Result | null>;
}

/**
 * Creates the gate of a session. If the endpoint is failing at the start of the session, the first
 * attempt with `mayBeTrial` is the trial. Later attempts wait for the result of the trial. They are
 * made in order if the trial succeeds, and postponed if it fails.
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
