import { ArnFormat, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { ScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import { pinLogicalId } from "../pin-logical-id.ts";
import { schedulerRole } from "./scheduler-role.ts";

export interface RunSchedulesProps {
  /** Name of the group in the account; must not change, or every schedule in it is deleted. */
  readonly groupName: string;
}

/**
 * The group that holds one schedule per watchlist, and the role by which they send. The schedules
 * have no dead-letter queue: a tick that got lost says nothing that the list's row does not, and the
 * sweeper starts a list that is overdue within minutes.
 */
export class RunSchedules extends Construct {
  readonly group: ScheduleGroup;
  readonly role: Role;
  /** Matches every schedule of the group and no other. */
  readonly scheduleArns: string;

  constructor(scope: Construct, id: string, props: RunSchedulesProps) {
    super(scope, id);
    this.group = new ScheduleGroup(this, "Group", {
      scheduleGroupName: props.groupName,
      // Without the queue its schedules would fire into nothing; lists know their own due times.
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
