import { afterEach, expect, it, vi } from "vitest";
import { ledgerMetrics } from "../../../../shared/aws/ledger/metrics.ts";
import {
  endWork,
  newWork,
  recordMetrics,
  within,
} from "../../../../shared/observability/work-log.ts";
import { loggedLines, metricsOf } from "../../../support/log-lines.ts";

afterEach(() => vi.restoreAllMocks());

it("the log line of a call contains the durations and retries of its ledger reservation and settlement", () => {
  const { logger, lines } = loggedLines("products");
  const report = ledgerMetrics(recordMetrics);

  within(newWork({ request_id: "req_1" }), () => {
    report({ operation: "reserve", milliseconds: 12, retries: 2 });
    report({ operation: "settle", milliseconds: 7, retries: 1 });
    endWork((message, line) => logger.info(message, line), "call", {});
  });

  expect(lines).toHaveLength(1);
  expect(metricsOf(lines[0] ?? {})).toEqual({
    ledger_reserve_ms: [12],
    ledger_settle_ms: [7],
    ledger_retries: [3],
  });
});
