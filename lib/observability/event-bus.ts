import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { MetricName } from "../../shared/observability/metric-names.ts";
import type { Stage } from "../config.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ownMetric } from "./service-metrics.ts";

/** Alarms for events that the event bus does not accept. */
export class EventBusAlarms extends Construct {
  constructor(scope: Construct, id: string, { stage }: { readonly stage: Stage }) {
    super(scope, id);
    const count = (name: "bus_failed" | "bus_never_sent"): IMetric =>
      ownMetric(stage, { kind: "event_bus", name, statistic: Stats.SUM, minutes: 15 }, {});
    new ServiceAlarm(this, "Failing", {
      name: "event-bus-failing",
      metric: count("bus_failed"),
      threshold: 1,
      periods: { breaching: 2, of: 3 },
      impact: "The event bus refuses events, so its rules receive the events late.",
      lookAt: "warnings of the delivery function that begin with 'the event bus did not accept'.",
      act: "restore the bus, its permission or its quota; the service sends the events again.",
      runbook: "alarm-event-bus-failing",
    });
    new ServiceAlarm(this, "Exhausted", {
      name: "event-bus-never-sent",
      metric: count("bus_never_sent"),
      threshold: 1,
      periods: { breaching: 1, of: 1 },
      impact:
        "Events exhausted their retries on the event bus: the rules of the bus never receive these events.",
      lookAt: "warnings of the delivery function that contain 'exhausted all retries'.",
      act: "restore the bus, and read the missing events from the event feed of their accounts.",
      runbook: "alarm-event-bus-failing",
    });
  }
}

const graphMinutes = 5;

/** Returns the dashboard's graphs about the event bus, each with its title and its metrics. */
export function eventBusGraphs(stage: Stage): [string, IMetric[]][] {
  const of = (name: MetricName<"event_bus">, statistic: string = Stats.SUM): IMetric =>
    ownMetric(stage, { kind: "event_bus", name, statistic, minutes: graphMinutes }, {});
  return [
    ["Events to the event bus", [of("bus_sent"), of("bus_failed"), of("bus_never_sent")]],
    ["Event bus, ms", [of("bus_ms", "p99"), of("bus_late_ms", "p90")]],
  ];
}
