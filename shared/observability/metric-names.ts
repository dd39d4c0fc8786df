/**
 * All metrics of the service by kind. The code that writes metrics and the CDK app (dashboard,
 * alarms) use these names.
 */

/** CloudWatch namespace of all metrics. */
export const metricNamespace = "RetailProductData";

export type MetricUnit = "Count" | "Milliseconds";

/**
 * Metrics that are written together. CloudWatch stores all metrics of the kind once for each list
 * in `dimensions`, whose entries are names of members of the log line. `stage` is added to every
 * list, so that the stages of one AWS account stay separate. Never use a customer's ID, because
 * CloudWatch charges for each value of a dimension.
 */
interface Kind {
  readonly dimensions: readonly (readonly string[])[];
  readonly metrics: Readonly<Record<string, MetricUnit>>;
}

/** The metrics and dimensions of each kind. */
export const metricKinds = {
  /**
   * API calls. Status 501 is for features that are announced but not available yet. It has a
   * separate class and does not count as a failure.
   */
  calls: { dimensions: [["group", "status_class"], ["status_class"]], metrics: { calls: "Count" } },
  /** API calls that were refused with 401 or 429. */
  refusals: {
    dimensions: [[]],
    metrics: { calls_unauthorized: "Count", calls_rate_limited: "Count" },
  },
  call_times: { dimensions: [["group"]], metrics: { call_ms: "Milliseconds" } },
  /** Calls and messages that ended in an unexpected error. */
  errors: { dimensions: [["service"]], metrics: { unforeseen_errors: "Count" } },
  /** Items that API calls and runs read. */
  items: {
    dimensions: [["scraper"], ["service"]],
    metrics: {
      items_ok: "Count",
      items_partial: "Count",
      items_not_found: "Count",
      items_unavailable: "Count",
    },
  },
  /** Credits of settled calls and steps. Reserved credits equal charged plus refunded credits. */
  credits: {
    dimensions: [["scraper"], ["service"]],
    metrics: { credits_reserved: "Count", credits_charged: "Count", credits_refunded: "Count" },
  },
  /** Durations and retries of reservations and settlements. */
  ledger: {
    dimensions: [[]],
    metrics: {
      ledger_reserve_ms: "Milliseconds",
      ledger_settle_ms: "Milliseconds",
      /** Attempts after the first attempt of an operation. */
      ledger_retries: "Count",
    },
  },
  /**
   * Calls that the shared rate limiter could not count, because its store failed or throttled the
   * key's row.
   */
  limiter: { dimensions: [[]], metrics: { limiter_local: "Count" } },
  run_starts: {
    dimensions: [[]],
    metrics: {
      runs_started: "Count",
      /** Start time minus due time, of runs that a schedule started. */
      run_late_ms: "Milliseconds",
      /** Due times that were skipped because the previous run was still in progress. */
      runs_overlapped: "Count",
    },
  },
  run_ends: {
    dimensions: [[]],
    metrics: {
      runs_completed: "Count",
      runs_failed: "Count",
      /** Runs skipped for lack of credits. */
      runs_unpaid: "Count",
      /** Runs whose events are held by the brake of their watchlist. */
      runs_held: "Count",
      /** Runs in which the answers of a source had another shape than in earlier runs. */
      runs_shape_changed: "Count",
      run_ms: "Milliseconds",
    },
  },
  batches: { dimensions: [["scraper"]], metrics: { batch_ms: "Milliseconds" } },
  /** Time from the sending of a step's batches until the last batch is done. */
  steps: { dimensions: [["scraper"]], metrics: { step_ms: "Milliseconds" } },
  deliveries: {
    dimensions: [[]],
    metrics: {
      delivery_attempts: "Count",
      delivery_succeeded: "Count",
      delivery_failed: "Count",
      /** Deliveries that exhausted their retries. */
      delivery_given_up: "Count",
      delivery_ms: "Milliseconds",
      /** Time from an entry's due time until the delivery worker processes the entry. */
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
  /** Events that the delivery worker sends to the event bus of the deployment. */
  event_bus: {
    dimensions: [[]],
    metrics: {
      bus_sent: "Count",
      /** Events that the bus did not accept in one attempt. They are sent again later. */
      bus_failed: "Count",
      /** Events that exhausted their retries or expired. The bus never receives them. */
      bus_never_sent: "Count",
      bus_ms: "Milliseconds",
      bus_late_ms: "Milliseconds",
    },
  },
  /**
   * Receivers: webhook endpoints and customers' buckets. Each receiver counts once per session,
   * whatever the number of attempts, so that busy receivers do not dominate the share of failures.
   */
  receivers: {
    dimensions: [[]],
    metrics: {
      receivers_tried: "Count",
      /** Receivers for which every attempt of the session failed. */
      receivers_failing: "Count",
    },
  },
  sweeps: {
    dimensions: [[]],
    metrics: {
      sweeps: "Count",
      /** Parts of a sweeper pass that failed. The next pass repeats them. */
      sweep_failures: "Count",
      /** Overdue watchlists. */
      swept_lists: "Count",
      /** Stalled runs. */
      swept_runs: "Count",
      /** Deleted watchlists whose rows were still to be deleted. */
      swept_purges: "Count",
      /** Released holds that had expired. */
      swept_holds: "Count",
      /** Delivery targets that were due. */
      swept_deliveries: "Count",
    },
  },
  /** Calls to external sources, by adapter. A read of items makes one or more calls. */
  sources: {
    dimensions: [["source", "scraper"]],
    metrics: {
      source_calls: "Count",
      /** Duration of a call, including its waits and retries. */
      source_call_ms: "Milliseconds",
      /** Duration of a read with all its calls. */
      source_read_ms: "Milliseconds",
      /** HTTP requests, including retries. */
      source_tries: "Count",
      /** Tries for which the source returned 429. */
      source_throttled: "Count",
      source_circuits_opened: "Count",
    },
  },
} as const satisfies Record<string, Kind>;

export type MetricKind = keyof typeof metricKinds;

export type MetricName<K extends MetricKind = MetricKind> = K extends MetricKind
  ? keyof (typeof metricKinds)[K]["metrics"] & string
  : never;

/**
 * Dimensions that the writer of a kind must set. The logger sets the dimensions `stage` and
 * `service`.
 */
export type DimensionName<K extends MetricKind> = Exclude<
  (typeof metricKinds)[K]["dimensions"][number][number],
  "service"
>;

/**
 * Returns the value of the dimension `status_class` for an HTTP status: `501`, or the class of any
 * other status, such as `4xx`.
 */
export const statusClassOf = (status: number): string =>
  status === 501 ? "501" : `${Math.floor(status / 100)}xx`;
