import {
  type DimensionName,
  type MetricKind,
  metricKinds,
  type MetricName,
} from "./metric-names.ts";

/** One figure, or several of the same kind: times are kept one by one, counts are added up. */
export type FigureValue = number | readonly number[];

/** What some work came to, in numbers; `figures` makes them. Holds no id of a customer. */
export interface Figures {
  readonly kind: MetricKind;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, FigureValue>>;
}

/** Takes what something came to; who tells does not know what becomes of it. */
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
 * Figures put together for as few log lines as hold them: those about the same thing are one, and a
 * line says one thing of a dimension. At least one line, which may be empty.
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

/** One entry for each kind and its dimensions. */
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
