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

/**
 * Groups whose calls read at most a few rows. Calls of other groups may be slow, because they read
 * sources or watchlists of 50,000 items.
 */
const lightGroups = ["account", "dashboard", "events", "platforms"] as const satisfies GroupName[];
const slowMs = 3_000;
/**
 * Minimum number of calls, reservations, items or receivers in a period. With fewer of them, an
 * alarm ignores the period.
 */
const someMin = 20;
const ledgerSlowMs = 500;
const lateMs = 5 * 60_000;

/** Alarms for problems that customers notice. */
export class ServiceAlarms extends Construct {
  readonly apiFailing: ServiceAlarm;

  constructor(scope: Construct, id: string, observed: Observed) {
    super(scope, id);
    this.apiFailing = this.api(observed);
    this.runs(observed);
    this.sources(observed);
    this.sweeper(observed);
    this.receivers(observed);
    this.ledger(observed);
    this.limiter(observed);
  }

  private api({ stage, api }: Observed): ServiceAlarm {
    const options = { period: Duration.minutes(5), statistic: Stats.SUM };
    const announced = ownMetric(
      stage,
      { kind: "calls", name: "calls", statistic: Stats.SUM, minutes: 5 },
      { status_class: "501" },
    );
    const apiFailing = new ServiceAlarm(this, "ApiFailing", {
      name: "api-failing",
      notifiesEnd: true,
      metric: new MathExpression({
        // Status 501 is no failure: it means that a feature is announced but not yet available.
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
      impact: "At least 2% of all API calls fail with a server error.",
      lookAt: "log lines 'call failed', and the functions' errors and throttles on the dashboard.",
      act: "find the group and the error that the calls have in common; roll back a recent deployment.",
      runbook: "alarm-api-failing",
    });
    new ServiceAlarm(this, "ApiSlow", {
      name: "api-slow",
      notifiesEnd: true,
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
        label: "Slowest group that reads only a few rows, p99, ms",
        period: options.period,
      }),
      threshold: slowMs,
      periods: { breaching: 3, of: 3 },
      impact: "Calls that read only a few rows take 3 s or more: clients time out.",
      lookAt: "latency by group, throttles of tables and functions, and durations of functions.",
      act: "raise the capacity of throttled tables, or the concurrency of functions with many cold starts.",
      runbook: "alarm-api-slow",
    });
    return apiFailing;
  }

  private runs({ stage }: Observed): void {
    new ServiceAlarm(this, "RunsLate", {
      name: "runs-late",
      notifiesEnd: true,
      metric: ownMetric(
        stage,
        { kind: "run_starts", name: "run_late_ms", statistic: "p90", minutes: 5 },
        {},
      ),
      threshold: lateMs,
      periods: { breaching: 2, of: 3 },
      impact:
        "Runs start five minutes or more after their due time: customers' data is older than scheduled.",
      lookAt: "age and depth of the runs queue, and concurrency and throttles of run-starter.",
      act: "if the queue grows, raise concurrencyMax.runs or the AWS account's Lambda quota; see the alarm of the queue.",
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
        "A run failed after 15 minutes without progress: unread items are not charged and wait for the next run.",
      lookAt:
        "error lines with the run's watchlist_id and run_number, and the dead-letter queue of steps.",
      act: "find the cause of the missing progress; the next run reads the items automatically.",
      runbook: "alarm-runs-failing",
    });
    new ServiceAlarm(this, "RunsHeld", {
      name: "runs-held",
      metric: ownMetric(
        stage,
        { kind: "run_ends", name: "runs_held", statistic: Stats.SUM, minutes: 15 },
        {},
      ),
      threshold: 1,
      periods: { breaching: 1, of: 1 },
      impact:
        "A brake holds a run with suspicious changes: its watchlist waits for a decision of the customer.",
      lookAt:
        "log lines with runs_held = 1: account_id, watchlist_id and run_number, and what the held runs have in common.",
      act: "if the source returns wrong values, fix the source or its adapter, and ask the customers to discard these runs.",
      runbook: "alarm-runs-held",
    });
  }

  private sources({ stage }: Observed): void {
    new ServiceAlarm(this, "SourceShapeChanged", {
      name: "source-shape-changed",
      metric: ownMetric(
        stage,
        { kind: "run_ends", name: "runs_shape_changed", statistic: Stats.SUM, minutes: 15 },
        {},
      ),
      threshold: 1,
      periods: { breaching: 1, of: 1 },
      impact:
        "A source answers in another shape: fields are missing, or prices changed by the same factor. Values may be wrong.",
      lookAt:
        "log lines with runs_shape_changed = 1, and 'source_shape' of these runs in the API or the dashboard.",
      act: "compare an answer of the source with its product page; fix the adapter or its configuration.",
      runbook: "alarm-source-shape-changed",
    });
  }

  private sweeper({ stage }: Observed): void {
    new ServiceAlarm(this, "ListsOverdue", {
      name: "watchlists-overdue",
      notifiesEnd: true,
      metric: ownMetric(
        stage,
        { kind: "sweeps", name: "swept_lists", statistic: Stats.MINIMUM, minutes: 1 },
        {},
      ),
      threshold: 1,
      periods: { breaching: 10, of: 10 },
      impact: "For ten minutes, at least one watchlist was overdue: its run did not start.",
      lookAt: "the runs queue, its dead-letter queue, and error lines of run-starter.",
      act:
        "if no runs start, fix the error in the log of run-starter. If runs start, check that the " +
        "schedule group still has its schedules. The sweeper starts runs whose schedule did not fire.",
      runbook: "alarm-watchlists-overdue",
    });
    new ServiceAlarm(this, "SweeperSilent", {
      name: "sweeper-silent",
      notifiesEnd: true,
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
        "The sweeper does not run: overdue runs, overdue deliveries and expired holds are not handled.",
      lookAt: "errors and throttles of the sweeper, its schedule, and its dead-letter queue.",
      act: "make the sweeper run again; it then handles the accumulated work automatically.",
      runbook: "alarm-sweeper-silent",
    });
  }

  private receivers({ stage }: Observed): void {
    const count = (name: "receivers_tried" | "receivers_failing"): IMetric =>
      ownMetric(stage, { kind: "receivers", name, statistic: Stats.SUM, minutes: 15 }, {});
    new ServiceAlarm(this, "ReceiversFailing", {
      name: "receivers-failing",
      notifiesEnd: true,
      metric: new MathExpression({
        expression: `IF(tried >= ${someMin}, 100 * failing / tried, 0)`,
        usingMetrics: { tried: count("receivers_tried"), failing: count("receivers_failing") },
        label: "Receivers without a successful attempt, %",
        period: Duration.minutes(15),
      }),
      threshold: 50,
      periods: { breaching: 2, of: 2 },
      impact:
        "All attempts to at least half of the webhook endpoints and buckets fail: the service is probably the cause.",
      lookAt:
        "errors in the delivery logs of several accounts: timeouts, DNS lookups, signatures, keys.",
      act: "fix the common cause, then recover the deliveries that failed since the alarm started.",
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
      lookAt: "ledger_retries, and throttles of the tables 'accounts' and 'ledger'.",
      act: "find the accounts with the most calls; if one account causes the load, ask its owner to call more slowly.",
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
      impact: "The ledger needs more than one retry per call on average: calls are slower.",
      lookAt:
        "which accounts have retries, their calls in flight, and throttles of the table 'accounts'.",
      act: "if one account causes the retries, ask its owner to call more slowly; if all do, check the last deployment.",
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
        "The shared rate limiter fails: calls get 429, or a key can exceed 50 calls per second.",
      lookAt:
        "log lines that begin with 'rate limiter store unavailable', and throttles of the table 'accounts'.",
      act: "restore writes to the table 'accounts'; shared counting then resumes automatically.",
      runbook: "alarm-limiter-local",
    });
  }
}
