import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { MetricName } from "../../shared/observability/metric-names.ts";
import type { Stage } from "../config.ts";
import { ownMetric } from "./service-metrics.ts";

const minutes = 5;

/** Returns the dashboard's graphs about the event bus, each with its title and its metrics. */
export function eventBusGraphs(stage: Stage): [string, IMetric[]][] {
  const of = (name: MetricName<"event_bus">, statistic: string = Stats.SUM): IMetric =>
    ownMetric(stage, { kind: "event_bus", name, statistic, minutes }, {});
  return [
    ["Events to the event bus", [of("bus_sent"), of("bus_failed"), of("bus_never_sent")]],
    ["Event bus, ms", [of("bus_ms", "p99"), of("bus_late_ms", "p90")]],
  ];
}
