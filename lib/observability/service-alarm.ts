import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { IAlarmAction, IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { type RunbookAnchor, runbookLink } from "./runbook.ts";

/** What whoever is woken needs to know; full sentences. */
export interface AlarmText {
  /** What it means for a user of the service. */
  readonly impact: string;
  /** Where the cause shows. */
  readonly lookAt: string;
  /** What to do first. */
  readonly act: string;
  readonly runbook: RunbookAnchor;
}

export interface ServiceAlarmProps extends AlarmText {
  /** The alarm's name, after the stack's. */
  readonly name: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** @default GREATER_THAN_OR_EQUAL_TO_THRESHOLD */
  readonly comparison?: ComparisonOperator;
  /** Rings when so many of the last `of` periods passed the threshold. */
  readonly periods: { readonly breaching: number; readonly of: number };
  /** @default NOT_BREACHING */
  readonly missing?: TreatMissingData;
  /**
   * Whether the topic hears of the end too: for what customers feel as long as it lasts. Every such
   * alarm also tells it that all is well once, when it is made.
   * @default false
   */
  readonly tellsEnd?: boolean;
}

/** An alarm for a person: there is none without what it means and what to do about it. */
export class ServiceAlarm extends Construct {
  readonly alarm: Alarm;
  readonly #tellsEnd: boolean;

  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    super(scope, id);
    this.#tellsEnd = props.tellsEnd ?? false;
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

  /** Tells somebody when it begins to ring, and when it ends if that says something. */
  notify(action: IAlarmAction): void {
    this.alarm.addAlarmAction(action);
    if (this.#tellsEnd) this.alarm.addOkAction(action);
  }
}
