import { Logger } from "@aws-lambda-powertools/logger";
import { afterEach, expect, it, vi } from "vitest";
import { sourceMetrics } from "../../../shared/aws/source-metrics.ts";
import { systemClock } from "../../../shared/base/system.ts";
import type { SourceReport } from "../../../shared/sources/source-report.ts";

afterEach(() => vi.restoreAllMocks());

/** The line that a report leaves in the log. */
function lineOf(report: SourceReport): Record<string, unknown> {
  const lines: string[] = [];
  const logger = new Logger({ logLevel: "INFO", serviceName: "products" });
  vi.spyOn((logger as unknown as { console: Console }).console, "info").mockImplementation(
    (line: string) => {
      lines.push(line);
    },
  );
  sourceMetrics(logger, systemClock)(report);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
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

it("writes one line that is a log entry and metrics by source and scraper", () => {
  const line = lineOf(report);
  expect(line).toMatchObject({
    level: "INFO",
    message: "source read",
    service: "products",
    source: "d_catalog",
    scraper: "retailer_d.standard",
    calls: 150,
    read_ms: 1_200,
    tries: 160,
    throttled: 4,
    circuit_opened: 1,
    items_ok: 7,
    items_partial: 0,
    items_not_found: 0,
    items_unavailable: 1,
    replies: { answered: 149, broken: 1 },
  });
  const { Timestamp, CloudWatchMetrics } = line["_aws"] as {
    Timestamp: number;
    CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  expect(Math.abs(Timestamp - Date.now())).toBeLessThan(60_000);
  expect(CloudWatchMetrics[0]?.Dimensions).toEqual([["source", "scraper"]]);
  // CloudWatch drops a whole line of which one metric has no value, or more than a hundred.
  for (const { Name, Unit } of CloudWatchMetrics[0]?.Metrics ?? []) {
    const values = [line[Name]].flat();
    expect(values.length).toBeGreaterThan(0);
    expect(values.length).toBeLessThanOrEqual(100);
    expect(values.every((value) => typeof value === "number")).toBe(true);
    expect(Unit).toBe(Name.endsWith("_ms") ? "Milliseconds" : "Count");
  }
  expect(Math.max(...(line["call_ms"] as number[]))).toBe(149);
});

it("names no time of calls where there were none", () => {
  const calls = { milliseconds: [], tries: 0, throttled: 0, replies: {}, circuitsOpened: 0 };
  const line = lineOf({ ...report, calls });
  expect(line["calls"]).toBe(0);
  expect(JSON.stringify(line)).not.toContain("call_ms");
});
