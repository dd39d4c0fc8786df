/** The service's metrics in CloudWatch, by the names under which the code writes them. */
import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import {
  type MetricKind,
  metricKinds,
  type MetricName,
  metricNamespace,
} from "../../shared/observability/metric-names.ts";
import type { Stage } from "../config.ts";

type DimensionSet<K extends MetricKind> = (typeof metricKinds)[K]["dimensions"][number];

/**
 * The dimensions of a metric with their values. The metric kind defines which dimensions belong
 * together.
 */
type DimensionsOf<K extends MetricKind> = K extends MetricKind
  ? Readonly<Partial<Record<DimensionSet<K>[number], string>>>
  : never;

export interface OwnMetric<K extends MetricKind> {
  readonly kind: K;
  readonly name: MetricName<K>;
  /** A CloudWatch statistic, such as `Sum` or `p99`. */
  readonly statistic: string;
  /** Length of a period of the metric. */
  readonly minutes: number;
}

/**
 * Returns a metric of the service for a stage, with the given dimension values.
 * @throws Error if the service does not write metrics of this kind with these dimensions
 */
export function ownMetric<K extends MetricKind>(
  stage: Stage,
  { kind, name, statistic, minutes }: OwnMetric<K>,
  dimensions: DimensionsOf<K>,
): IMetric {
  assertWritten(kind, Object.keys(dimensions));
  return new Metric({
    namespace: metricNamespace,
    metricName: name,
    dimensionsMap: { stage, ...dimensions },
    statistic,
    period: Duration.minutes(minutes),
  });
}

/**
 * Returns a CloudWatch search expression for a graph with one line for each combination of values
 * of the dimensions `by`.
 * @throws Error if the service does not write metrics of this kind with these dimensions
 */
export function ownSearch<K extends MetricKind>(
  stage: Stage,
  { kind, name, statistic, minutes }: OwnMetric<K>,
  by: readonly DimensionSet<K>[number][],
): IMetric {
  assertWritten(kind, by);
  const schema = [metricNamespace, "stage", ...by].join(",");
  const query = `{${schema}} MetricName="${name}" stage="${stage}"`;
  return new MathExpression({
    expression: `SEARCH('${query}', '${statistic}', ${minutes * 60})`,
    period: Duration.minutes(minutes),
    label: "",
    usingMetrics: {},
  });
}

/** Throws an Error if no metric of the kind has exactly the dimensions `wanted`. */
function assertWritten(kind: MetricKind, wanted: readonly string[]): void {
  const sets: readonly (readonly string[])[] = metricKinds[kind].dimensions;
  const same = (set: readonly string[]): boolean =>
    set.length === wanted.length && wanted.every((name) => set.includes(name));
  if (!sets.some(same)) {
    throw new Error(
      `Metrics of kind ${kind} are not written with the dimensions ${wanted.join(", ")}. Choose one of the sets in shared/observability/metric-names.ts.`,
    );
  }
}
