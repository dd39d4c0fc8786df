import { afterEach, expect, it, vi } from "vitest";
import { sourceMetrics } from "../../../../shared/sources/registry/metrics.ts";
import { newWork, within } from "../../../../shared/observability/work-log.ts";
import type { SourceReport } from "../../../../shared/sources/registry/report.ts";
import { type Line, loggedLines, metricsOf } from "../../../support/log-lines.ts";

afterEach(() => vi.restoreAllMocks());

/** Returns the log line that a source report writes. */
function lineOf(report: SourceReport): Line {
  const { logger, lines } = loggedLines("products");
  within(newWork({ request_id: "req_1" }), () =>
    sourceMetrics((message, line) => logger.info(message, line))(report),
  );
  expect(lines).toHaveLength(1);
  return lines[0] ?? {};
}

const report: SourceReport = {
  source: "d_catalog",
  scraper: "retailer_d.standard",
  milliseconds: 1_200,
  items: { ok: 7, unavailable: 1 },
  calls: {
    milliseconds: Array.from({ length: 150 }, (_, n) => n),
    tries: 160,
    throttled: 4,
    replies: { answered: 149, broken: 1 },
    circuitsOpened: 1,
  },
};

it("a read of a source writes one log line with its metrics by source and scraper", () => {
  const line = lineOf(report);

  expect(line).toMatchObject({
    level: "INFO",
    message: "source read",
    stage: "dev",
    service: "products",
    request_id: "req_1",
    source: "d_catalog",
    scraper: "retailer_d.standard",
    items: { ok: 7, partial: 0, not_found: 0, unavailable: 1 },
    replies: { answered: 149, broken: 1 },
    _aws: { CloudWatchMetrics: [{ Dimensions: [["stage", "source", "scraper"]] }] },
  });
  const { source_call_ms: times, ...others } = metricsOf(line);
  expect(others).toEqual({
    source_calls: [150],
    source_read_ms: [1_200],
    source_tries: [160],
    source_throttled: [4],
    source_circuits_opened: [1],
  });
  expect(Math.max(...(times ?? []))).toBe(149);
});

it("a read of a source without calls writes no call duration", () => {
  const calls = { milliseconds: [], tries: 0, throttled: 0, replies: {}, circuitsOpened: 0 };

  const metrics = metricsOf(lineOf({ ...report, calls }));

  expect(metrics["source_calls"]).toEqual([0]);
  expect(metrics).not.toHaveProperty("source_call_ms");
});
