import { describe, expect, it } from "vitest";
import { metricMembers } from "../../../shared/observability/metric-line.ts";
import { newMetrics } from "../../../shared/observability/metrics.ts";
import { type Line, metricsOf } from "../../support/log-lines.ts";

const lineOf = (members: Record<string, unknown>): Line => ({
  stage: "dev",
  service: "run-step",
  ...members,
});
const members = (...metrics: Parameters<typeof metricMembers>[0]): Record<string, unknown> =>
  metricMembers(metrics, new Date());

describe("a log line with metrics", () => {
  it("contains each metric value with its dimensions, first the stage", () => {
    const line = lineOf(
      members(
        newMetrics("items", { scraper: "retailer_d.standard" }, { items_ok: 3, items_partial: 0 }),
        newMetrics("batches", { scraper: "retailer_d.standard" }, { batch_ms: 120 }),
      ),
    );

    expect(metricsOf(line)).toEqual({ items_ok: [3], items_partial: [0], batch_ms: [120] });
    expect(line).toMatchObject({
      scraper: "retailer_d.standard",
      _aws: {
        CloudWatchMetrics: [
          {
            Dimensions: [
              ["stage", "scraper"],
              ["stage", "service"],
            ],
            Metrics: [
              { Name: "items_ok", Unit: "Count" },
              { Name: "items_partial", Unit: "Count" },
            ],
          },
          {
            Dimensions: [["stage", "scraper"]],
            Metrics: [{ Name: "batch_ms", Unit: "Milliseconds" }],
          },
        ],
      },
    });
  });

  it("contains at most a hundred durations, with the shortest and the longest among them", () => {
    const times = Array.from({ length: 1_000 }, (_, n) => 1_000 - n);
    const { delivery_ms: kept = [] } = metricsOf(
      lineOf(members(newMetrics("deliveries", {}, { delivery_ms: times }))),
    );

    expect(kept).toHaveLength(100);
    expect([Math.min(...kept), Math.max(...kept)]).toEqual([1, 1_000]);
    const middle = kept.toSorted((a, b) => a - b)[50] ?? 0;
    expect(Math.abs(middle - 505)).toBeLessThan(20);
  });

  it("omits an invalid value, and keeps all other values", () => {
    const line = lineOf(
      members(
        newMetrics("run_ends", {}, { runs_completed: 1, run_ms: Number.NaN }),
        newMetrics("deliveries", {}, { delivery_ms: [Number.POSITIVE_INFINITY, 5] }),
        newMetrics("steps", { scraper: "retailer_d.standard" }, { step_ms: [] }),
      ),
    );

    expect(metricsOf(line)).toEqual({ runs_completed: [1], delivery_ms: [5] });
    expect(JSON.stringify(line)).not.toContain("step_ms");
  });

  it("has no members of the metric format if it has no metrics", () => {
    expect(members()).toEqual({});
    expect(members(newMetrics("deliveries", {}, {}))).toEqual({});
  });
});
