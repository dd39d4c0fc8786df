import { Duration } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { ServiceAlarm } from "./service-alarm.ts";

export interface DeadLetterAlarmProps {
  readonly queue: IQueue;
  /** What a message in the queue means for a user of the service: a full sentence. */
  readonly impact: string;
}

/** Rings as soon as one message was given up; its name is that of whatever the queue belongs to. */
export class DeadLetterAlarm extends Construct {
  constructor(scope: Construct, id: string, props: DeadLetterAlarmProps) {
    super(scope, id);
    new ServiceAlarm(this, "Alarm", {
      name: `${scope.node.id.toLowerCase()}-dead-letters`,
      metric: props.queue.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: Stats.MAXIMUM,
      }),
      threshold: 1,
      periods: { breaching: 1, of: 1 },
      impact: props.impact,
      lookAt: "the queue's messages, and the error lines that carry their message_id.",
      act: "mend the cause, then replay the queue; the entry says how.",
      runbook: "alarm-dead-letters",
    });
  }
}
