import { describe, expect, it } from "vitest";
import { newMetrics, inLines } from "../../../shared/observability/metrics.ts";
import { metricKinds } from "../../../shared/observability/metric-names.ts";

const items = (scraper: string, ok: number) => newMetrics("items", { scraper }, { items_ok: ok });

describe("the metrics that a call or message collects", () => {
  it("are summed if they are counts, and listed one by one if they are durations", () => {
    const attempt = (ms: number) =>
      newMetrics("deliveries", {}, { delivery_attempts: 1, delivery_ms: ms });

    expect(inLines([attempt(5), attempt(7), attempt(5)])).toEqual([
      [newMetrics("deliveries", {}, { delivery_attempts: 3, delivery_ms: [5, 7, 5] })],
    ]);
  });

  it("share one log line if their dimensions are equal", () => {
    const late = newMetrics("run_starts", {}, { runs_started: 1 });
    const batch = newMetrics("batches", { scraper: "a" }, { batch_ms: 1 });

    expect(inLines([items("a", 1), items("b", 2), batch, late])).toEqual([
      [items("a", 1), batch, late],
      [items("b", 2)],
    ]);
  });

  it("result in one log line even if there are no metrics", () => {
    expect(inLines([])).toEqual([[]]);
  });
});

describe("the list of all metrics", () => {
  it("has no metric name twice", () => {
    const names = Object.values(metricKinds).flatMap(({ metrics }) => Object.keys(metrics));

    expect(new Set(names).size).toBe(names.length);
  });

  it("contains no metric with a dimension whose values clients choose", () => {
    const dimensions = new Set<string>(
      Object.values(metricKinds).flatMap((kind) => kind.dimensions.flat()),
    );

    expect([...dimensions].toSorted()).toEqual([
      "group",
      "scraper",
      "service",
      "source",
      "status_class",
    ]);
  });
});
