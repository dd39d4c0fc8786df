/**
 * All metrics of the service by kind. The writers and the CDK app (dashboard, alarms) use these names.
 */

export const metricNamespace = "RetailProductData";

export type MetricUnit = "Count" | "Milliseconds";

/**
 * Metrics that are written together. `dimensions`: each list makes the kind's metrics once more, by
 * those properties of the line; `stage` is in front of all of them, so that stages of one account do
 * not mix. Never a customer's id: each value of a dimension is a metric that is paid for.
 */
interface Kind {
  readonly dimensions: readonly (readonly string[])[];
  readonly metrics: Readonly<Record<string, MetricUnit>>;
}

export const metricKinds = {
  /** Calls of the API. A 501 (an announced endpoint) has a separate class and is not a failure. */
  calls: { dimensions: [["group", "status_class"], ["status_class"]], metrics: { calls: "Count" } },
  call_times: { dimensions: [["group"]], metrics: { call_ms: "Milliseconds" } },
  /** Calls and messages that ended in an unexpected error. */
  errors: { dimensions: [["service"]], metrics: { unforeseen_errors: "Count" } },
  /** Items read, for calls of the API and for runs. */
  items: {
    dimensions: [["scraper"], ["service"]],
    metrics: {
      items_ok: "Count",
      items_partial: "Count",
      items_not_found: "Count",
      items_unavailable: "Count",
    },
  },
  /** Credits of settled calls and steps: what was reserved is what was charged and refunded. */
  credits: {
    dimensions: [["scraper"], ["service"]],
    metrics: { credits_reserved: "Count", credits_charged: "Count", credits_refunded: "Count" },
  },
  /** Time and retries of reservations and settlements. */
  ledger: {
    dimensions: [[]],
    metrics: {
      ledger_reserve_ms: "Milliseconds",
      ledger_settle_ms: "Milliseconds",
      /** Attempts after the first of an operation. */
      ledger_retries: "Count",
    },
  },
  /** Calls that the limiter's store did not count, because it failed or throttled the key's row. */
  limiter: { dimensions: [[]], metrics: { limiter_local: "Count" } },
  run_starts: {
    dimensions: [[]],
    metrics: {
      runs_started: "Count",
      /** Start minus due time, of runs that a schedule started. */
      run_late_ms: "Milliseconds",
      /** Due times passed over because the run before was still in progress. */
      runs_overlapped: "Count",
    },
  },
  run_ends: {
    dimensions: [[]],
    metrics: {
      runs_completed: "Count",
      runs_failed: "Count",
      /** Skipped for lack of credits. */
      runs_unpaid: "Count",
      run_ms: "Milliseconds",
    },
  },
  batches: { dimensions: [["scraper"]], metrics: { batch_ms: "Milliseconds" } },
  /** From the moment that a step's batches were sent until the last one was done. */
  steps: { dimensions: [["scraper"]], metrics: { step_ms: "Milliseconds" } },
  deliveries: {
    dimensions: [[]],
    metrics: {
      delivery_attempts: "Count",
      delivery_succeeded: "Count",
      delivery_failed: "Count",
      /** Failed for the last time. */
      delivery_given_up: "Count",
      delivery_ms: "Milliseconds",
      /** How long what was worked on had been due. */
      delivery_late_ms: "Milliseconds",
    },
  },
  exports: {
    dimensions: [[]],
    metrics: {
      export_attempts: "Count",
      export_succeeded: "Count",
      export_failed: "Count",
      export_given_up: "Count",
      export_ms: "Milliseconds",
      export_late_ms: "Milliseconds",
    },
  },
  /** Webhook endpoints and buckets, each counted once a message: a busy one weighs little more. */
  receivers: {
    dimensions: [[]],
    metrics: {
      receivers_tried: "Count",
      /** Of them, those that took nothing. */
      receivers_failing: "Count",
    },
  },
  sweeps: {
    dimensions: [[]],
    metrics: {
      sweeps: "Count",
      /** Parts of a sweep that failed; the next one tries them again. */
      sweep_failures: "Count",
      swept_lists: "Count",
      swept_runs: "Count",
      swept_purges: "Count",
      swept_holds: "Count",
      swept_deliveries: "Count",
    },
  },
  /** Reads from outside the service, by adapter. */
  sources: {
    dimensions: [["source", "scraper"]],
    metrics: {
      source_calls: "Count",
      source_call_ms: "Milliseconds",
      source_read_ms: "Milliseconds",
      source_tries: "Count",
      source_throttled: "Count",
      source_circuits_opened: "Count",
    },
  },
} as const satisfies Record<string, Kind>;

export type MetricKind = keyof typeof metricKinds;

export type MetricName<K extends MetricKind = MetricKind> = K extends MetricKind
  ? keyof (typeof metricKinds)[K]["metrics"] & string
  : never;

/** Dimensions that the writer of a kind must set. The logger sets stage and service. */
export type DimensionName<K extends MetricKind> = Exclude<
  (typeof metricKinds)[K]["dimensions"][number][number],
  "service"
>;

/** Value of the dimension `status_class` for an HTTP status. */
export const statusClassOf = (status: number): string =>
  status === 501 ? "501" : `${Math.floor(status / 100)}xx`;
