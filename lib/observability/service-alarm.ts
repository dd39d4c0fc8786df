import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { IAlarmAction, IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { type RunbookAnchor, runbookLink } from "./runbook.ts";

/** The text of an alarm, for the operator on call. */
export interface AlarmText {
  /** The consequence for users: a full sentence. */
  readonly impact: string;
  /** Where the operator finds the cause. The text follows "Look at:". */
  readonly lookAt: string;
  /** The operator's first action. The text follows "Do:". */
  readonly act: string;
  readonly runbook: RunbookAnchor;
}

export interface ServiceAlarmProps extends AlarmText {
  /** The alarm's name without its prefix, the name of the stack. */
  readonly name: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /**
   * How a value is compared with the threshold.
   * @default GREATER_THAN_OR_EQUAL_TO_THRESHOLD
   */
  readonly comparison?: ComparisonOperator;
  /**
   * M of N: the alarm starts when `breaching` (M) of the last `of` (N) periods breach the
   * threshold.
   */
  readonly periods: { readonly breaching: number; readonly of: number };
  /** How the alarm treats periods without data. @default NOT_BREACHING */
  readonly missing?: TreatMissingData;
  /**
   * True if the topic is also notified at the end of the alarm state. Set it for problems that
   * customers notice as long as they last. Such an alarm also sends one OK notification when it is
   * created.
   * @default false
   */
  readonly notifiesEnd?: boolean;
}

/**
 * An alarm whose description has the consequence, the place to find the cause, the first action,
 * and the link to the runbook.
 */
export class ServiceAlarm extends Construct {
  readonly alarm: Alarm;
  readonly #notifiesEnd: boolean;

  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    super(scope, id);
    this.#notifiesEnd = props.notifiesEnd ?? false;
    this.alarm = new Alarm(this, "Alarm", {
      alarmName: `${Stack.of(this).stackName}-${props.name}`,
      alarmDescription: [
        props.impact,
        `Look at: ${props.lookAt}`,
        `Do: ${props.act}`,
        `Runbook: ${runbookLink(this, props.runbook)}`,
      ].join("\n"),
      metric: props.metric,
      threshold: props.threshold,
      comparisonOperator: props.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: props.periods.breaching,
      evaluationPeriods: props.periods.of,
      treatMissingData: props.missing ?? TreatMissingData.NOT_BREACHING,
    });
  }

  /**
   * Executes an action when the alarm state starts. With `notifiesEnd`, executes it when the state
   * ends too.
   */
  notify(action: IAlarmAction): void {
    this.alarm.addAlarmAction(action);
    if (this.#notifiesEnd) this.alarm.addOkAction(action);
  }
}
