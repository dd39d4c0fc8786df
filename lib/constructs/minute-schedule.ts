import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import { Schedule, ScheduleExpression, TimeWindow } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledgements.ts";
import { grantInvoke, grantSend } from "../grants.ts";
import { DeadLetterAlarm } from "../observability/dead-letter-alarm.ts";
import { schedulerRole } from "./scheduler-role.ts";
import { secureQueue } from "./secure-queue.ts";
import type { LiveAlias } from "./service-function.ts";

export interface MinuteScheduleProps {
  readonly description: string;
  readonly target: LiveAlias;
  /** Logical ID of the dead-letter queue. */
  readonly deadLetterQueueId: string;
  /** The consequence for users if the target does not start: a full sentence. */
  readonly impact: string;
}

const minute = Duration.minutes(1);

/**
 * Schedule that invokes a function every minute. A failed invocation is not retried, because the
 * next invocation follows within a minute. With retries, hours of throttling would lead to hours of
 * repeated invocations. An invocation that the schedule could not deliver stays in a dead-letter
 * queue for a day, with the reason. Never replay such a message, because later invocations have
 * already done its work.
 */
export class MinuteSchedule extends Construct {
  readonly deadLetterQueue: IQueue;

  constructor(scope: Construct, id: string, props: MinuteScheduleProps) {
    super(scope, id);
    const deadLetterQueue = secureQueue(
      this,
      { id: "DeadLetterQueue", logicalId: props.deadLetterQueueId },
      // Messages expire after a day, which also ends the alarm without an operator's action.
      { retentionPeriod: Duration.days(1) },
    );
    acknowledge(deadLetterQueue, "AwsSolutions-SQS3");
    this.deadLetterQueue = deadLetterQueue;
    props.target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: minute });
    const role = schedulerRole(this, this.defaultGroupArn());
    grantInvoke(role, props.target);
    grantSend(role, deadLetterQueue);
    const schedule = new Schedule(this, "Schedule", {
      description: props.description,
      schedule: ScheduleExpression.rate(minute),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(props.target, {
        // Without `withoutPolicyUpdates`, the target would add permissions for every version of the
        // function to the role.
        role: role.withoutPolicyUpdates(),
        deadLetterQueue,
        retryAttempts: 0,
        maxEventAge: minute,
      }),
    });
    // Without this dependency, the first invocation may precede the permissions of the role.
    schedule.node.addDependency(role);
    new DeadLetterAlarm(this, "DeadLetterAlarm", { queue: deadLetterQueue, impact: props.impact });
  }

  private defaultGroupArn(): string {
    return Stack.of(this).formatArn({
      service: "scheduler",
      resource: "schedule-group",
      resourceName: "default",
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}
