import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { MetricName } from "../../shared/observability/metric-names.ts";
import type { Observed } from "./observed.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ownMetric } from "./service-metrics.ts";

/**
 * Minimum number of calls, accepted or refused, in a period. With fewer calls, an alarm about
 * refused calls ignores the period.
 */
const refusedMin = 500;
const concurrencyPercent = 80;

/** Alarms for floods of calls, and for the use of the AWS account's Lambda quota. */
export class LoadAlarms extends Construct {
  constructor(scope: Construct, id: string, observed: Observed) {
    super(scope, id);
    this.refusals(observed);
    this.concurrency(observed);
  }

  private refusals({ stage, api }: Observed): void {
    const options = { period: Duration.minutes(5), statistic: Stats.SUM };
    const requests = api.metricCount(options);
    const shareOf = (refused: IMetric, label: string): MathExpression =>
      new MathExpression({
        expression: `IF(requests >= ${refusedMin}, 100 * FILL(refused, 0) / requests, 0)`,
        usingMetrics: { requests, refused },
        label,
        period: options.period,
      });
    const counted = (name: MetricName<"refusals">): IMetric =>
      ownMetric(stage, { kind: "refusals", name, statistic: Stats.SUM, minutes: 5 }, {});
    new ServiceAlarm(this, "CallsRefused", {
      name: "calls-refused",
      metric: shareOf(api.metricClientError(options), "Calls refused with 4xx, %"),
      threshold: 50,
      periods: { breaching: 3, of: 3 },
      impact: "At least half of all API calls are refused with a 4xx status.",
      lookAt:
        "log lines 'call' by code, route and account_id, and calls by status on the dashboard.",
      act: "if the refusals began with a deployment, roll back; if they come from one account or address, contact its owner or block it.",
      runbook: "alarm-calls-refused",
    });
    new ServiceAlarm(this, "CallsRateLimited", {
      name: "calls-rate-limited",
      metric: shareOf(counted("calls_rate_limited"), "Calls refused with 429, %"),
      threshold: 20,
      periods: { breaching: 3, of: 3 },
      impact: "At least 20% of all API calls get 429 from the functions.",
      lookAt: "log lines 'call' with status 429, by account_id and key_id.",
      act: "if one account gets most of the 429s, ask its owner to call more slowly; if all accounts do, check the shared rate limiter.",
      runbook: "alarm-calls-rate-limited",
    });
    new ServiceAlarm(this, "CallsUnauthorized", {
      name: "calls-unauthorized",
      metric: shareOf(counted("calls_unauthorized"), "Calls refused with 401, %"),
      threshold: 20,
      periods: { breaching: 3, of: 3 },
      impact:
        "At least 20% of all API calls have no valid API key: an attack, or clients with a revoked key.",
      lookAt: "log lines 'call' with status 401, by route, and the firewall's metrics.",
      act: "block the addresses in the firewall; if a key was revoked by mistake, create another one.",
      runbook: "alarm-calls-unauthorized",
    });
  }

  private concurrency({ accountConcurrency }: Observed): void {
    new ServiceAlarm(this, "ConcurrencyHigh", {
      name: "concurrency-high",
      metric: new Metric({
        namespace: "AWS/Lambda",
        // Without dimensions, the metric covers all functions of the AWS account in the region.
        metricName: "ConcurrentExecutions",
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(1),
      }),
      threshold: Math.floor((accountConcurrency * concurrencyPercent) / 100),
      periods: { breaching: 3, of: 5 },
      impact: `The functions of the AWS account use ${concurrencyPercent}% of its Lambda quota: above it, calls fail.`,
      lookAt: "concurrency by function in CloudWatch, calls by group, and the depth of the queues.",
      act: "request a higher quota, or lower the concurrency of the function that uses most of it.",
      runbook: "alarm-concurrency-high",
    });
  }
}
