import {
  type DimensionName,
  type MetricKind,
  metricKinds,
  type MetricName,
} from "./metric-names.ts";

/** The value or values of a metric. Durations are stored one by one, and counts are added up. */
export type MetricValue = number | readonly number[];

/**
 * Values of one metric kind with their dimensions, without customer IDs. Create them with
 * `newMetrics`.
 */
export interface Metrics {
  readonly kind: MetricKind;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, MetricValue>>;
}

/** Receives metric values. */
export type MetricsSink = (metrics: readonly Metrics[]) => void;

/**
 * Creates the metrics of one kind from their dimensions and values. Omits values that are
 * undefined.
 */
export const newMetrics = <K extends MetricKind>(
  kind: K,
  dimensions: Readonly<Record<DimensionName<K>, string>>,
  values: Readonly<Partial<Record<MetricName<K>, MetricValue>>>,
): Metrics => ({
  kind,
  dimensions,
  values: Object.fromEntries(Object.entries<MetricValue | undefined>(values).flatMap(present)),
});

const present = ([name, value]: readonly [string, MetricValue | undefined]): [
  string,
  MetricValue,
][] => (value === undefined ? [] : [[name, value]]);

/**
 * Merges metrics and distributes them over as few log lines as possible. A line is one JSON object,
 * in which the name of a value or dimension can occur only once. A line therefore contains each
 * kind of metrics at most once, and at most one value of each dimension. Returns at least one line,
 * which may be empty.
 */
export function inLines(metrics: readonly Metrics[]): readonly (readonly Metrics[])[] {
  const lines: { readonly dimensions: Map<string, string>; readonly metrics: Metrics[] }[] = [
    { dimensions: new Map(), metrics: [] },
  ];
  for (const one of mergeMetrics(metrics)) {
    const named = Object.entries(one.dimensions);
    let line = lines.find(
      ({ dimensions, metrics: others }) =>
        others.every(({ kind }) => kind !== one.kind) &&
        named.every(([name, value]) => (dimensions.get(name) ?? value) === value),
    );
    if (line === undefined) {
      line = { dimensions: new Map(), metrics: [] };
      lines.push(line);
    }
    line.metrics.push(one);
    for (const [name, value] of named) line.dimensions.set(name, value);
  }
  return lines.map((line) => line.metrics);
}

/**
 * Merges metrics of the same kind and dimensions: adds up counts, and collects durations in an
 * array.
 */
export function mergeMetrics(metrics: readonly Metrics[]): readonly Metrics[] {
  const byName = new Map<string, Metrics>();
  for (const one of metrics) {
    const name = JSON.stringify([one.kind, Object.entries(one.dimensions)]);
    const before = byName.get(name);
    byName.set(name, before === undefined ? one : addMetrics(before, one));
  }
  return [...byName.values()];
}

/** Adds the values of `one` to `before`, which has the same kind and dimensions. */
function addMetrics(before: Metrics, one: Metrics): Metrics {
  const units: Readonly<Record<string, string>> = metricKinds[one.kind].metrics;
  const values: Record<string, MetricValue> = { ...before.values };
  for (const [name, value] of Object.entries(one.values)) {
    const all = [values[name] ?? [], value].flat();
    values[name] = units[name] === "Count" ? all.reduce((sum, count) => sum + count, 0) : all;
  }
  return { ...before, values };
}
