import { Stack } from "aws-cdk-lib";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { LoadAlarms } from "./load-alarms.ts";
import { observed, type ObservedParts } from "./observed.ts";
import { ResourceAlarms } from "./resource-alarms.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ServiceAlarms } from "./service-alarms.ts";
import { ServiceDashboard } from "./service-dashboard.ts";

/**
 * The alarms and the dashboard. Create this construct last in its stack, because it connects only
 * the existing alarms of the stack to the topic.
 */
export class Observability extends Construct {
  constructor(scope: Construct, id: string, parts: ObservedParts) {
    super(scope, id);
    const all = observed(parts);
    new ServiceAlarms(this, "Service", all);
    new LoadAlarms(this, "Load", all);
    new ResourceAlarms(this, "Resources", all);
    const alarms = Stack.of(this)
      .node.findAll()
      .filter((found) => found instanceof ServiceAlarm);
    for (const alarm of alarms) alarm.notify(new SnsAction(parts.data.alarmTopic));
    new ServiceDashboard(this, "Dashboard", {
      observed: all,
      alarms: alarms.map(({ alarm }) => alarm),
    });
  }
}
