import { figures, type Report } from "../../observability/figures.ts";
import type { LedgerReport } from "./process.ts";

/**
 * Turns reports of reservations and settlements into metrics. Each operation has a separate time metric
 * instead of a dimension, because one log line contains both.
 */
export const ledgerMetrics =
  (send: Report) =>
  ({ operation, milliseconds, retries }: LedgerReport): void => {
    const times =
      operation === "reserve"
        ? { ledger_reserve_ms: milliseconds }
        : { ledger_settle_ms: milliseconds };
    send([figures("ledger", {}, { ...times, ledger_retries: retries })]);
  };
