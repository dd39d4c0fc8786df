import { figures, type Report } from "../base/figures.ts";
import type { LedgerReport } from "./ledger/measured.ts";

/**
 * Makes metrics of reservations and settlements. Each operation has its own metric of time, not a
 * dimension: one log line holds both.
 */
export const ledgerMetrics =
  (tell: Report) =>
  ({ operation, milliseconds, retries }: LedgerReport): void => {
    const times =
      operation === "reserve"
        ? { ledger_reserve_ms: milliseconds }
        : { ledger_settle_ms: milliseconds };
    tell([figures("ledger", {}, { ...times, ledger_retries: retries })]);
  };
