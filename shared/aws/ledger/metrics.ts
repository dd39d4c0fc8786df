import { newMetrics, type MetricsSink } from "../../observability/metrics.ts";
import type { LedgerReport } from "./process.ts";

/**
 * Returns a function that sends the report of a reservation or settlement as metrics to `send`.
 * Each of the two operations has its own metric for the duration. One metric with the operation as
 * a dimension is not possible, because one log line can contain the durations of both operations.
 */
export const ledgerMetrics =
  (send: MetricsSink) =>
  ({ operation, milliseconds, retries }: LedgerReport): void => {
    const times =
      operation === "reserve"
        ? { ledger_reserve_ms: milliseconds }
        : { ledger_settle_ms: milliseconds };
    send([newMetrics("ledger", {}, { ...times, ledger_retries: retries })]);
  };
