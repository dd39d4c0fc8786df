import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

export interface DeadLetterAlarmProps {
  readonly queue: IQueue;
  /** What a message in the queue means for a user of the service: a full sentence. */
  readonly impact: string;
}

/** Rings as soon as one message was given up. */
export class DeadLetterAlarm extends Construct {
  constructor(scope: Construct, id: string, props: DeadLetterAlarmProps) {
    super(scope, id);
    new Alarm(this, "Alarm", {
      metric: props.queue.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: Stats.MAXIMUM,
      }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: props.impact,
    });
  }
}
