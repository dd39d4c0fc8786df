import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression, TimeWindow } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledgements.ts";
import { grantInvoke, grantSend } from "../grants.ts";
import { DeadLetterAlarm } from "../observability/dead-letter-alarm.ts";
import { schedulerRole } from "./scheduler-role.ts";
import { secureQueue } from "./secure-queue.ts";

export interface MinuteScheduleProps {
  readonly description: string;
  readonly target: IFunction;
  /** Logical id of the dead-letter queue. */
  readonly deadLetterQueueId: string;
  /** What it means for a user that the target is not started. */
  readonly impact: string;
}

const minute = Duration.minutes(1);

/**
 * Invokes a function every minute. Nothing repeats a minute that failed, because the next one
 * follows: neither the schedule, nor Lambda, which would otherwise work off hours of them after a
 * time of throttling. What the schedule could not hand over lies in a dead-letter queue for a day,
 * with the reason: to be looked at, and never to be replayed.
 */
export class MinuteSchedule extends Construct {
  readonly deadLetterQueue: IQueue;

  constructor(scope: Construct, id: string, props: MinuteScheduleProps) {
    super(scope, id);
    const deadLetterQueue = secureQueue(
      this,
      { id: "DeadLetterQueue", logicalId: props.deadLetterQueueId },
      // Nobody has to clear it: its alarm ends by itself.
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
        // The target would grant itself every version of the function.
        role: role.withoutPolicyUpdates(),
        deadLetterQueue,
        retryAttempts: 0,
        maxEventAge: minute,
      }),
    });
    // The first minute would else come before the role may do anything.
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
