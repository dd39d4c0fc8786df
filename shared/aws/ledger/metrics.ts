import { newMetrics, type MetricsSink } from "../../observability/figures.ts";
import type { LedgerReport } from "./process.ts";

/**
 * Converts reports of reservations and settlements to metrics. Each operation has a separate time
 * metric instead of a dimension, because one log line contains both operations.
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
