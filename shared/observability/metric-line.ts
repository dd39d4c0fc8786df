import type { Metrics, MetricValue } from "./metrics.ts";
import { metricKinds, metricNamespace } from "./metric-names.ts";

/** CloudWatch's maximum number of values of one metric in a log line. */
const valuesMax = 100;

/**
 * Builds the members that add metrics to a log line (CloudWatch embedded metric format). Returns an
 * empty object if no metric has a value. The line must also have the members `stage` and `service`.
 * @param at time of the log line
 */
export function metricMembers(metrics: readonly Metrics[], at: Date): Record<string, unknown> {
  const written = metrics
    .map(({ values, ...one }) => ({ ...one, values: writtenValues(values) }))
    .filter(({ values }) => Object.keys(values).length > 0);
  if (written.length === 0) return {};
  return {
    ...Object.fromEntries(
      written.flatMap(({ dimensions, values }) => [
        ...Object.entries(dimensions),
        ...Object.entries(values),
      ]),
    ),
    _aws: { Timestamp: at.getTime(), CloudWatchMetrics: directivesOf(written) },
  };
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: { readonly Name: string; readonly Unit: string }[];
}

/** Builds one directive for all metrics with the same dimensions. Shorter log lines cost less. */
function directivesOf(written: readonly Pick<Metrics, "kind" | "values">[]): readonly Directive[] {
  const directives = new Map<string, Directive>();
  for (const { kind, values } of written) {
    const { dimensions, metrics } = metricKinds[kind];
    const units: Readonly<Record<string, string>> = metrics;
    const name = JSON.stringify(dimensions);
    const directive = directives.get(name) ?? {
      Namespace: metricNamespace,
      Dimensions: dimensions.map((names) => ["stage"].concat(names)),
      Metrics: [],
    };
    directives.set(name, directive);
    for (const metric of Object.keys(values)) {
      directive.Metrics.push({ Name: metric, Unit: units[metric] ?? "None" });
    }
  }
  return [...directives.values()];
}

/**
 * Omits values that are not finite numbers. A single such value would make CloudWatch reject the
 * whole line.
 */
function writtenValues(values: Metrics["values"]): Record<string, MetricValue> {
  return Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, writtenValue(value)] as const)
      .filter(([, value]) =>
        typeof value === "number" ? Number.isFinite(value) : value.length > 0,
      ),
  );
}

const writtenValue = (value: MetricValue): MetricValue =>
  typeof value === "number" ? value : sampleEvenly(value.filter((one) => Number.isFinite(one)));

/**
 * Returns at most 100 of the values: an even sample in ascending order that includes the minimum
 * and the maximum.
 */
function sampleEvenly(values: readonly number[]): readonly number[] {
  if (values.length <= valuesMax) return values;
  const sorted = values.toSorted((a, b) => a - b);
  const step = (sorted.length - 1) / (valuesMax - 1);
  return Array.from({ length: valuesMax }, (_, n) => sorted[Math.round(n * step)] ?? 0);
}
