import { Stack } from "aws-cdk-lib";
import type { IAlarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import type { FunctionName } from "../../functions/environment.ts";
import { EventBusAlarms } from "./event-bus.ts";
import { LoadAlarms } from "./load-alarms.ts";
import { collectResources, type ObservedParts } from "./observed.ts";
import { ReleaseAlarms } from "./release-alarms.ts";
import { ResourceAlarms } from "./resource-alarms.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ServiceAlarms } from "./service-alarms.ts";
import { ServiceDashboard } from "./service-dashboard.ts";

export interface ObservabilityProps extends ObservedParts {
  /**
   * True if deployments shift traffic gradually. The newest version of each function then has an
   * alarm.
   */
  readonly deploysGradually: boolean;
}

/**
 * The alarms and the dashboard of a stage. Create this construct last in its stack, because it
 * connects all alarms that the stack has by then to the alarm topic.
 */
export class Observability extends Construct {
  /**
   * The alarms that stop a gradual deployment, by function; empty if the deployment is
   * `all-at-once`.
   */
  readonly releaseAlarms: ReadonlyMap<FunctionName, readonly IAlarm[]>;

  constructor(scope: Construct, id: string, parts: ObservabilityProps) {
    super(scope, id);
    const all = collectResources(parts);
    const { apiFailing } = new ServiceAlarms(this, "Service", all);
    if (all.hasEventBus) new EventBusAlarms(this, "EventBus", all);
    new LoadAlarms(this, "Load", all);
    const releases = parts.deploysGradually
      ? [...new ReleaseAlarms(this, "Releases", all).byFunction]
      : [];
    this.releaseAlarms = new Map(
      releases.map(([name, { alarm }]) => [name, [alarm, apiFailing.alarm]]),
    );
    new ResourceAlarms(this, "Resources", all);
    const alarms = Stack.of(this)
      .node.findAll()
      .filter((child) => child instanceof ServiceAlarm);
    for (const alarm of alarms) alarm.notify(new SnsAction(parts.data.alarmTopic));
    new ServiceDashboard(this, "Dashboard", {
      observed: all,
      alarms: alarms.map(({ alarm }) => alarm),
    });
  }
}
