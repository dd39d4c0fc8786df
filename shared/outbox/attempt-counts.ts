import { newMetrics, type Metrics } from "../observability/metrics.ts";

/** Counts a session's attempts to send something to its delivery target. */
export interface AttemptCounts {
  /** Counts an attempt. */
  note(attempt: { readonly succeeded: boolean }): void;
  /** Returns the metrics of the session's receiver. */
  metrics(): readonly Metrics[];
}

/**
 * Creates a counter of the attempts of one session, for metrics. A session is the work on one
 * delivery target during one lease. The metrics count the receiver of the session once, whatever
 * the number of attempts, and count it as failing if no attempt succeeded. Without an attempt,
 * there are no metrics.
 */
export function attemptCounts(): AttemptCounts {
  let tried = 0;
  let succeeded = 0;
  return {
    note(attempt) {
      tried += 1;
      if (attempt.succeeded) succeeded += 1;
    },
    metrics() {
      if (tried === 0) return [];
      const failing = succeeded === 0 ? 1 : 0;
      return [newMetrics("receivers", {}, { receivers_tried: 1, receivers_failing: failing })];
    },
  };
}
