import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { stepScrapers } from "../../shared/scrapers/catalog.ts";
import type { Observed } from "./observed.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ownMetric } from "./service-metrics.ts";

/**
 * Minimum number of items in a period. With fewer items, the alarm of a source ignores the period.
 */
const itemsMin = 20;
/**
 * Minimum number of failed or throttled requests to a table in five minutes. With fewer, the alarm
 * ignores the period. The number is high, because SDK clients retry single failures.
 */
const refusalsMin = 50;
const failuresMin = 3;
const tableOperations = [
  "GetItem",
  "BatchGetItem",
  "Query",
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
] as const;

/** Alarms of single resources: functions, queues, sources and tables. */
export class ResourceAlarms extends Construct {
  constructor(scope: Construct, id: string, observed: Observed) {
    super(scope, id);
    this.functions(observed);
    this.queues(observed);
    this.sources(observed);
    this.tables(observed);
  }

  private functions({ stage, functions }: Observed): void {
    const options = { period: Duration.minutes(5), statistic: Stats.SUM };
    for (const { name, lambda } of functions) {
      new ServiceAlarm(this, `Function-${name}`, {
        name: `function-failing-${name}`,
        metric: new MathExpression({
          expression: "FILL(broken, 0) + FILL(throttled, 0) + FILL(unforeseen, 0)",
          usingMetrics: {
            broken: lambda.metricErrors(options),
            throttled: lambda.metricThrottles(options),
            unforeseen: ownMetric(
              stage,
              { kind: "errors", name: "unforeseen_errors", statistic: Stats.SUM, minutes: 5 },
              { service: name },
            ),
          },
          label: "Errors and throttles",
          period: options.period,
        }),
        threshold: failuresMin,
        periods: { breaching: 2, of: 3 },
        impact: `The function ${name} fails or is throttled repeatedly: calls fail, or runs and deliveries are late.`,
        lookAt: `error lines of the service ${name}, and its errors and throttles on the dashboard.`,
        act: "for errors, fix or roll back; for throttles, raise the quota or the function's concurrency.",
        runbook: "alarm-function-failing",
      });
    }
  }

  private queues({ queues }: Observed): void {
    for (const { name, queue, ageMinutesMax, impact } of queues) {
      new ServiceAlarm(this, `Queue-${name}`, {
        name: `queue-waiting-${name}`,
        metric: queue.metricApproximateAgeOfOldestMessage({
          period: Duration.minutes(5),
          statistic: Stats.MAXIMUM,
        }),
        threshold: ageMinutesMax * 60,
        periods: { breaching: 2, of: 2 },
        impact,
        lookAt: "the depth of the queue, and errors, throttles and concurrency of its worker.",
        act: "if the worker fails, fix it; if the worker is too slow for the queue, raise its concurrencyMax.",
        runbook: "alarm-queue-waiting",
      });
    }
  }

  private sources({ stage }: Observed): void {
    for (const scraper of Object.keys(stepScrapers)) {
      const items = (status: "ok" | "partial" | "not_found" | "unavailable"): IMetric =>
        ownMetric(
          stage,
          { kind: "items", name: `items_${status}`, statistic: Stats.SUM, minutes: 15 },
          { scraper },
        );
      const all = "(found + part + gone + unavailable)";
      new ServiceAlarm(this, `Source-${scraper}`, {
        name: `source-unavailable-${scraper}`,
        metric: new MathExpression({
          expression: `IF(${all} >= ${itemsMin}, 100 * unavailable / ${all}, 0)`,
          usingMetrics: {
            found: items("ok"),
            part: items("partial"),
            gone: items("not_found"),
            unavailable: items("unavailable"),
          },
          label: "Items unavailable, %",
          period: Duration.minutes(15),
        }),
        threshold: 50,
        periods: { breaching: 2, of: 2 },
        impact: `At least half of the items that customers read with ${scraper} are returned as unavailable and refunded.`,
        lookAt: `log lines 'source read' of ${scraper}: replies, throttled attempts, open circuits.`,
        act: "check whether the source is down, blocks the service or has changed; if necessary, use another source.",
        runbook: "alarm-source-unavailable",
      });
    }
  }

  private tables({ tables }: Observed): void {
    for (const { name, tableName, capacities } of tables) {
      new ServiceAlarm(this, `Table-${name}`, {
        name: `table-refusing-${name}`,
        metric: sumOf(
          "System errors",
          tableOperations.map((Operation) =>
            tableMetric("SystemErrors", { TableName: tableName, Operation }),
          ),
        ),
        ...refusals,
        impact: `DynamoDB returns errors for the table ${name}: calls are slow or fail, and runs and deliveries stall.`,
        lookAt:
          "error lines of the functions that use the table, and the AWS status of the region.",
        act: "wait for DynamoDB to recover, then replay the dead-letter queues.",
        runbook: "alarm-table-refusing",
      });
      new ServiceAlarm(this, `Throttled-${name}`, {
        name: `table-throttling-${name}`,
        metric: sumOf(
          "Throttled requests",
          // The sum includes the due index, because a throttled index also throttles writes to its
          // table.
          capacities.flatMap((dimensions) => [
            tableMetric("ReadThrottleEvents", dimensions),
            tableMetric("WriteThrottleEvents", dimensions),
          ]),
        ),
        ...refusals,
        impact: `DynamoDB throttles the table ${name} or its index: calls are slow or fail, and runs and deliveries stall.`,
        lookAt:
          "throttles and consumed capacity of the table, of its index and of its most used keys.",
        act: "if DynamoDB throttles one key, ask the customer whose load uses it to send fewer calls; otherwise raise the WarmThroughput of the table or its index, or the AWS account's quota.",
        runbook: "alarm-table-throttling",
      });
    }
  }
}

const refusals = { threshold: refusalsMin, periods: { breaching: 2, of: 3 } } as const;

const tableMetric = (metricName: string, dimensionsMap: Readonly<Record<string, string>>): Metric =>
  new Metric({
    namespace: "AWS/DynamoDB",
    metricName,
    dimensionsMap,
    statistic: Stats.SUM,
    period: Duration.minutes(5),
  });

/**
 * Returns the sum of at most ten metrics, which is CloudWatch's limit for an alarm. A metric
 * without values counts as 0.
 */
function sumOf(label: string, metrics: readonly IMetric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((one) => `FILL(${one}, 0)`)
    .join(" + ");
  return new MathExpression({ expression, usingMetrics, label, period: Duration.minutes(5) });
}
