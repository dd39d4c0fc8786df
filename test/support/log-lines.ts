import { inspect } from "node:util";
import type { Logger } from "@aws-lambda-powertools/logger";
import { expect, vi } from "vitest";
import { serviceLogger } from "../../shared/observability/service-logger.ts";
import {
  type MetricKind,
  metricKinds,
  type MetricName,
  metricNamespace,
} from "../../shared/observability/metric-names.ts";

export type Line = Readonly<Record<string, unknown>>;

/**
 * Creates a logger of the function `service`, and a list that receives each line that the logger
 * writes, as an object.
 */
export function loggedLines(service: string): { readonly logger: Logger; readonly lines: Line[] } {
  const logger = serviceLogger({ stage: "dev", service, level: "INFO" });
  const lines: Line[] = [];
  const written = (logger as unknown as { readonly console: Console }).console;
  for (const level of ["debug", "info", "warn", "error"] as const) {
    vi.spyOn(written, level).mockImplementation((text: string) => {
      lines.push(JSON.parse(text) as Line);
    });
  }
  return { logger, lines };
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

const unitOf = new Map<string, string>(
  Object.values(metricKinds).flatMap(({ metrics }) => Object.entries(metrics)),
);

/**
 * Returns the values of each metric in a log line, by metric name; an empty object if the line has
 * no metrics.
 * @throws AssertionError if CloudWatch would drop a metric of the line without an error
 */
export function metricsOf(line: Line): Readonly<Record<string, readonly number[]>> {
  const metadata = line["_aws"] as
    | { readonly Timestamp: number; readonly CloudWatchMetrics: readonly Directive[] }
    | undefined;
  if (metadata === undefined) return {};
  const shown = inspect(line, { depth: 6 });
  expect(Buffer.byteLength(JSON.stringify(line)), shown).toBeLessThan(256 * 1_024);
  expect(Math.abs(metadata.Timestamp - Date.now()), shown).toBeLessThan(2 * 60 * 60 * 1_000);
  const values: Record<string, readonly number[]> = {};
  for (const { Namespace, Dimensions, Metrics } of metadata.CloudWatchMetrics) {
    expect(Namespace, shown).toBe(metricNamespace);
    expect(Dimensions.length, shown).toBeGreaterThan(0);
    for (const set of Dimensions) {
      expect(set[0], shown).toBe("stage");
      expect(set.length, shown).toBeLessThanOrEqual(30);
      expect(new Set(set).size, shown).toBe(set.length);
      for (const name of set) {
        expect(line[name], shown).toEqual(expect.stringMatching(/^[\x20-\x7e]{1,250}$/));
      }
    }
    expect(Metrics.length, shown).toBeGreaterThan(0);
    expect(Metrics.length, shown).toBeLessThanOrEqual(100);
    for (const { Name, Unit } of Metrics) {
      const found = [line[Name]].flat() as number[];
      expect(found.length, shown).toBeGreaterThan(0);
      expect(found.length, shown).toBeLessThanOrEqual(100);
      expect(
        found.every((value) => Number.isFinite(value) && value >= 0),
        shown,
      ).toBe(true);
      expect(Unit, shown).toBe(unitOf.get(Name));
      expect(values, shown).not.toHaveProperty(Name);
      values[Name] = found;
    }
  }
  return values;
}

/**
 * Returns the values of one metric in all lines, in order. `_kind` only restricts the type of
 * `name`.
 */
export const valuesOf = <K extends MetricKind>(
  lines: readonly Line[],
  _kind: K,
  name: MetricName<K>,
): readonly number[] => lines.flatMap((line) => metricsOf(line)[name] ?? []);

/** The names of all metrics, in the order of their declaration in the code. */
export const allMetricNames: readonly string[] = [...unitOf.keys()];
