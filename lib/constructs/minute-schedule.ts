import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression, TimeWindow } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";
import { schedulerRole } from "./scheduler-role.ts";

export interface MinuteScheduleProps {
  readonly description: string;
  readonly target: IFunction;
}

/** Invokes a function every minute; a minute that fails is not repeated, the next one follows. */
export class MinuteSchedule extends Construct {
  constructor(scope: Construct, id: string, props: MinuteScheduleProps) {
    super(scope, id);
    const defaultGroupArn = Stack.of(this).formatArn({
      service: "scheduler",
      resource: "schedule-group",
      resourceName: "default",
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    new Schedule(this, "Schedule", {
      description: props.description,
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(props.target, {
        role: schedulerRole(this, defaultGroupArn),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
  }
}
