import { ArnFormat, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { ScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import { pinLogicalId } from "../pin-logical-id.ts";
import { schedulerRole } from "./scheduler-role.ts";

export interface RunSchedulesProps {
  /** Name of the schedule group. A change of the name deletes every schedule in the group. */
  readonly groupName: string;
}

/**
 * The group of the watchlists' schedules, and the role with which they send messages. The schedules
 * have no dead-letter queue. A dead-letter queue is not needed, because the row of a watchlist has
 * its due time, and the sweeper starts an overdue watchlist within minutes.
 */
export class RunSchedules extends Construct {
  readonly group: ScheduleGroup;
  readonly role: Role;
  /** ARN pattern that matches every schedule of the group and no other schedule. */
  readonly scheduleArns: string;

  constructor(scope: Construct, id: string, props: RunSchedulesProps) {
    super(scope, id);
    this.group = new ScheduleGroup(this, "Group", {
      scheduleGroupName: props.groupName,
      // The schedules may be deleted with the stack. They have no use without the runs queue, and
      // the sweeper can restore them from the due times of the watchlists.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    pinLogicalId(this.group, "WatchlistSchedules");
    this.role = schedulerRole(this, this.group.scheduleGroupArn);
    this.scheduleArns = Stack.of(this).formatArn({
      service: "scheduler",
      resource: "schedule",
      resourceName: `${this.group.scheduleGroupName}/*`,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}
