import {
  type DimensionName,
  type MetricKind,
  metricKinds,
  type MetricName,
} from "./metric-names.ts";

/** The values of a metric: one, or several. Durations are kept one by one, counts are summed. */
export type FigureValue = number | readonly number[];

/** Metric values of one kind with their dimensions, without customer IDs. Created by `figures`. */
export interface Figures {
  readonly kind: MetricKind;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, FigureValue>>;
}

/** Receives metric values. */
export type Report = (told: readonly Figures[]) => void;

export const figures = <K extends MetricKind>(
  kind: K,
  dimensions: Readonly<Record<DimensionName<K>, string>>,
  values: Readonly<Partial<Record<MetricName<K>, FigureValue>>>,
): Figures => ({
  kind,
  dimensions,
  values: Object.fromEntries(Object.entries<FigureValue | undefined>(values).flatMap(present)),
});

const present = ([name, value]: readonly [string, FigureValue | undefined]): [
  string,
  FigureValue,
][] => (value === undefined ? [] : [[name, value]]);

/**
 * Merges metrics and distributes them over the fewest log lines. A line has at most one value of each
 * dimension. At least one line, which may be empty.
 */
export function inLines(told: readonly Figures[]): readonly (readonly Figures[])[] {
  const lines: { readonly dimensions: Map<string, string>; readonly figures: Figures[] }[] = [
    { dimensions: new Map(), figures: [] },
  ];
  for (const one of merged(told)) {
    const named = Object.entries(one.dimensions);
    let line = lines.find(
      ({ dimensions, figures: others }) =>
        others.every(({ kind }) => kind !== one.kind) &&
        named.every(([name, value]) => (dimensions.get(name) ?? value) === value),
    );
    if (line === undefined) {
      line = { dimensions: new Map(), figures: [] };
      lines.push(line);
    }
    line.figures.push(one);
    for (const [name, value] of named) line.dimensions.set(name, value);
  }
  return lines.map((line) => line.figures);
}

/** Merges metrics of the same kind and dimensions. */
export function merged(told: readonly Figures[]): readonly Figures[] {
  const byName = new Map<string, Figures>();
  for (const one of told) {
    const name = JSON.stringify([one.kind, Object.entries(one.dimensions)]);
    const before = byName.get(name);
    byName.set(name, before === undefined ? one : added(before, one));
  }
  return [...byName.values()];
}

function added(before: Figures, one: Figures): Figures {
  const units: Readonly<Record<string, string>> = metricKinds[one.kind].metrics;
  const values: Record<string, FigureValue> = { ...before.values };
  for (const [name, value] of Object.entries(one.values)) {
    const all = [values[name] ?? [], value].flat();
    values[name] = units[name] === "Count" ? all.reduce((sum, count) => sum + count, 0) : all;
  }
  return { ...before, values };
}
