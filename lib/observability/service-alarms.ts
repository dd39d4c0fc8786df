import { Duration } from "aws-cdk-lib";
import {
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { GroupName } from "../../functions/routes.ts";
import type { MetricName } from "../../shared/observability/metric-names.ts";
import { ownMetric } from "./service-metrics.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import type { Observed } from "./observed.ts";

/** Groups that answer from a few rows of the service's own, or from memory; a list of 50,000 items may take longer. */
const lightGroups = ["account", "dashboard", "events", "platforms"] as const satisfies GroupName[];
const slowMs = 3_000;
/** An alarm ignores a period with fewer calls, reservations, items or receivers than this. */
const someMin = 20;
const ledgerSlowMs = 500;
const lateMs = 5 * 60_000;

/** What users of the API and owners of watchlists would notice first. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, observed: Observed) {
    super(scope, id);
    this.api(observed);
    this.runs(observed);
    this.sweeper(observed);
    this.receivers(observed);
    this.ledger(observed);
    this.limiter(observed);
  }

  private api({ stage, api }: Observed): void {
    const options = { period: Duration.minutes(5), statistic: Stats.SUM };
    const announced = ownMetric(
      stage,
      { kind: "calls", name: "calls", statistic: Stats.SUM, minutes: 5 },
      { status_class: "501" },
    );
    new ServiceAlarm(this, "ApiFailing", {
      name: "api-failing",
      tellsEnd: true,
      metric: new MathExpression({
        // What is announced only answers 501 and is no failure.
        expression: `IF(requests >= ${someMin}, 100 * (failed - FILL(announced, 0)) / requests, 0)`,
        usingMetrics: {
          requests: api.metricCount(options),
          failed: api.metricServerError(options),
          announced,
        },
        label: "Failed calls, %",
        period: options.period,
      }),
      threshold: 2,
      periods: { breaching: 2, of: 3 },
      impact: "Of the calls of customers, 2 % or more fail for a reason of ours.",
      lookAt: "log lines 'call failed', and the functions' errors and throttles on the dashboard.",
      act: "find the group and error in common; roll back if a deployment came right before.",
      runbook: "alarm-api-failing",
    });
    new ServiceAlarm(this, "ApiSlow", {
      name: "api-slow",
      tellsEnd: true,
      metric: new MathExpression({
        expression: `MAX([${lightGroups.join(", ")}])`,
        usingMetrics: Object.fromEntries(
          lightGroups.map((group) => [
            group,
            ownMetric(
              stage,
              { kind: "call_times", name: "call_ms", statistic: "p99", minutes: 5 },
              { group },
            ),
          ]),
        ),
        label: "Slowest of the light groups, p99, ms",
        period: options.period,
      }),
      threshold: slowMs,
      periods: { breaching: 3, of: 3 },
      impact: "Calls that only look something up take 3 s and more: customers run into timeouts.",
      lookAt: "latency by group, throttles of tables and functions, and their duration.",
      act: "if a table is throttled or functions start cold all the time, give them more.",
      runbook: "alarm-api-slow",
    });
  }

  private runs({ stage }: Observed): void {
    new ServiceAlarm(this, "RunsLate", {
      name: "runs-late",
      tellsEnd: true,
      metric: ownMetric(
        stage,
        { kind: "run_starts", name: "run_late_ms", statistic: "p90", minutes: 5 },
        {},
      ),
      threshold: lateMs,
      periods: { breaching: 2, of: 3 },
      impact:
        "Runs start five minutes and more after they are due: customers' data is older than agreed.",
      lookAt: "age and depth of the runs queue, and concurrency and throttles of run-starter.",
      act: "if runs pile up, raise concurrencyMax.runs or the account's quota; see the queue's alarm.",
      runbook: "alarm-runs-late",
    });
    new ServiceAlarm(this, "RunsFailing", {
      name: "runs-failing",
      metric: ownMetric(
        stage,
        { kind: "run_ends", name: "runs_failed", statistic: Stats.SUM, minutes: 15 },
        {},
      ),
      threshold: 1,
      periods: { breaching: 1, of: 1 },
      impact:
        "A watchlist's run was given up: what it did not read is late by a run, and not charged.",
      lookAt:
        "error lines with the run's watchlist_id and run_number, and the steps' dead letters.",
      act: "find what kept it from moving for 15 minutes; the next run makes up for it by itself.",
      runbook: "alarm-runs-failing",
    });
  }

  private sweeper({ stage }: Observed): void {
    new ServiceAlarm(this, "ListsOverdue", {
      name: "lists-overdue",
      tellsEnd: true,
      metric: ownMetric(
        stage,
        { kind: "sweeps", name: "swept_lists", statistic: Stats.MINIMUM, minutes: 1 },
        {},
      ),
      threshold: 1,
      periods: { breaching: 10, of: 10 },
      impact: "For ten minutes there were always watchlists whose run is due and does not start.",
      lookAt: "the runs queue and its dead letters, and error lines of run-starter.",
      act: "if only their ticks are missing, look at the schedule group; runs start by the sweeper.",
      runbook: "alarm-lists-overdue",
    });
    new ServiceAlarm(this, "SweeperSilent", {
      name: "sweeper-silent",
      tellsEnd: true,
      metric: ownMetric(
        stage,
        { kind: "sweeps", name: "sweeps", statistic: Stats.SUM, minutes: 5 },
        {},
      ),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      periods: { breaching: 2, of: 2 },
      missing: TreatMissingData.BREACHING,
      impact:
        "Nothing is mended: retries after 15 minutes, lost starts and expired holds stay undone.",
      lookAt: "errors and throttles of the sweeper, its schedule, and its dead-letter queue.",
      act: "get the sweeper to run; it then works off by itself what has piled up.",
      runbook: "alarm-sweeper-silent",
    });
  }

  private receivers({ stage }: Observed): void {
    const count = (name: "receivers_tried" | "receivers_failing"): IMetric =>
      ownMetric(stage, { kind: "receivers", name, statistic: Stats.SUM, minutes: 15 }, {});
    new ServiceAlarm(this, "ReceiversFailing", {
      name: "receivers-failing",
      tellsEnd: true,
      metric: new MathExpression({
        expression: `IF(tried >= ${someMin}, 100 * failing / tried, 0)`,
        usingMetrics: { tried: count("receivers_tried"), failing: count("receivers_failing") },
        label: "Receivers that take nothing, %",
        period: Duration.minutes(15),
      }),
      threshold: 50,
      periods: { breaching: 2, of: 2 },
      impact: "Half of all webhooks and buckets take nothing: so many at once is a fault of ours.",
      lookAt:
        "errors in the delivery logs of some accounts: timeouts, name lookups, signatures, keys.",
      act: "mend what they have in common, then recover the failed deliveries of the time.",
      runbook: "alarm-receivers-failing",
    });
  }

  private ledger({ stage }: Observed): void {
    const metric = (name: MetricName<"ledger">, statistic: string): IMetric =>
      ownMetric(stage, { kind: "ledger", name, statistic, minutes: 5 }, {});
    const period = Duration.minutes(5);
    new ServiceAlarm(this, "LedgerSlow", {
      name: "ledger-slow",
      metric: new MathExpression({
        expression: `IF(reserved >= ${someMin}, MAX([reserving, settling]), 0)`,
        usingMetrics: {
          reserved: metric("ledger_reserve_ms", Stats.SAMPLE_COUNT),
          reserving: metric("ledger_reserve_ms", "p99"),
          settling: metric("ledger_settle_ms", "p99"),
        },
        label: "Slower of reserving and settling, p99, ms",
        period,
      }),
      threshold: ledgerSlowMs,
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      periods: { breaching: 2, of: 3 },
      impact: "The slowest 1% of reservations or settlements take more than 500 ms.",
      lookAt: "ledger_retries, and throttles of the tables accounts and ledger.",
      act: "find the accounts with the most calls; if it is one account, ask it to call more slowly.",
      runbook: "alarm-ledger-slow",
    });
    new ServiceAlarm(this, "LedgerContended", {
      name: "ledger-contended",
      metric: new MathExpression({
        expression: `IF(reserved >= ${someMin}, retries / reserved, 0)`,
        usingMetrics: {
          retries: metric("ledger_retries", Stats.SUM),
          reserved: metric("ledger_reserve_ms", Stats.SAMPLE_COUNT),
        },
        label: "Ledger retries per reservation",
        period,
      }),
      threshold: 1,
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      periods: { breaching: 2, of: 3 },
      impact: "Calls need more than one retry on average to reserve and settle their credits.",
      lookAt:
        "whether one account or all retry, their calls in flight, and throttles of the table accounts.",
      act: "if it is one account, ask it to call more slowly; if all, check the last deployment.",
      runbook: "alarm-ledger-contended",
    });
  }

  private limiter({ stage }: Observed): void {
    new ServiceAlarm(this, "LimiterLocal", {
      name: "limiter-local",
      metric: ownMetric(
        stage,
        { kind: "limiter", name: "limiter_local", statistic: Stats.SUM, minutes: 1 },
        {},
      ),
      threshold: 1,
      periods: { breaching: 5, of: 5 },
      impact:
        "The rate limiter's store fails: calls get 429, or a key can exceed 50 calls a second.",
      lookAt: "error lines and throttles of the table accounts.",
      act: "restore writes to the table accounts; shared counting then resumes automatically.",
      runbook: "alarm-limiter-local",
    });
  }
}
