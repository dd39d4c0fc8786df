import { Duration } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { ServiceAlarm } from "./service-alarm.ts";

export interface DeadLetterAlarmProps {
  readonly queue: IQueue;
  /** What users notice if there is a dead letter: a full sentence. */
  readonly impact: string;
}

/**
 * An alarm that starts with the first message in a dead-letter queue. Its name begins with the ID
 * of the parent construct.
 */
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
      lookAt: "the messages in the queue, and the error lines with their message_id.",
      act: "fix the cause, then replay or purge the queue as the runbook describes.",
      runbook: "alarm-dead-letters",
    });
  }
}
