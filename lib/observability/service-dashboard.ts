import { Aws, CfnOutput, Duration, Stack } from "aws-cdk-lib";
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  Metric,
  PeriodOverride,
  Stats,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { IAlarm, IMetric, IWidget } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { MetricKind, MetricName } from "../../shared/observability/metric-names.ts";
import type { Observed } from "./observed.ts";
import { eventBusGraphs } from "./event-bus.ts";
import { ownMetric, ownSearch } from "./service-metrics.ts";

export interface ServiceDashboardProps {
  readonly observed: Observed;
  readonly alarms: readonly IAlarm[];
}

/** Metric kinds whose only dimension is the stage. */
type UndividedKind =
  | "deliveries"
  | "exports"
  | "ledger"
  | "limiter"
  | "receivers"
  | "refusals"
  | "sweeps";

const minutes = 5;
const period = Duration.minutes(minutes);
const sum = { period, statistic: Stats.SUM };
const widgetHeight = 6;

/** The CloudWatch dashboard of the service. */
export class ServiceDashboard extends Construct {
  readonly #observed: Observed;

  constructor(scope: Construct, id: string, { observed, alarms }: ServiceDashboardProps) {
    super(scope, id);
    this.#observed = observed;
    const dashboard = new Dashboard(this, "Dashboard", {
      // Dashboard names must be unique across the regions of an AWS account.
      dashboardName: `${Stack.of(this).stackName}-${Aws.REGION}`,
      defaultInterval: Duration.hours(12),
      periodOverride: PeriodOverride.INHERIT,
    });
    const rows: readonly (readonly [string, readonly IWidget[]])[] = [
      ["Alarms", [new AlarmStatusWidget({ alarms: [...alarms], width: 24, height: 6 })]],
      ["Traffic", this.traffic()],
      ["Items and credits", this.items()],
      ["Runs", this.runs()],
      ["Steps and sources", this.sources()],
      ["Deliveries and exports", this.deliveries()],
      ["Queues", this.queues()],
      ["Functions and database", this.resources()],
    ];
    for (const [title, widgets] of rows) {
      dashboard.addWidgets(new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 }));
      dashboard.addWidgets(...widgets);
    }
    new CfnOutput(this, "Name", {
      value: dashboard.dashboardName,
      description: "The CloudWatch dashboard.",
    }).overrideLogicalId("DashboardName");
  }

  private traffic(): IWidget[] {
    const calls = { kind: "calls", name: "calls", statistic: Stats.SUM, minutes } as const;
    const times = { kind: "call_times", name: "call_ms", minutes } as const;
    const { stage } = this.#observed;
    return rowOf([
      ["Calls by status", [ownSearch(stage, calls, ["status_class"])]],
      ["Calls by group and status", [ownSearch(stage, calls, ["group", "status_class"])]],
      ["Latency p50, ms", [ownSearch(stage, { ...times, statistic: "p50" }, ["group"])]],
      ["Latency p99, ms", [ownSearch(stage, { ...times, statistic: "p99" }, ["group"])]],
      [
        "Calls refused with 401 and 429",
        [
          this.one("refusals", "calls_unauthorized", Stats.SUM),
          this.one("refusals", "calls_rate_limited", Stats.SUM),
        ],
      ],
      ["Concurrent invocations of the AWS account", [this.accountConcurrency()]],
    ]);
  }

  private accountConcurrency(): IMetric {
    const { accountConcurrency: quota } = this.#observed;
    return new Metric({
      namespace: "AWS/Lambda",
      metricName: "ConcurrentExecutions",
      statistic: Stats.MAXIMUM,
      period,
      label: `Concurrent invocations (quota: ${quota})`,
    });
  }

  private items(): IWidget[] {
    const by = (name: MetricName<"items">): IMetric => this.sums("items", name, ["scraper"]);
    const ledger = (name: MetricName<"ledger">, statistic: string): IMetric =>
      this.one("ledger", name, statistic);
    const credits = (name: MetricName<"credits">, dimension: "scraper" | "service"): IMetric =>
      this.sums("credits", name, [dimension]);
    return rowOf([
      ["Items complete", [by("items_ok")]],
      ["Items partial", [by("items_partial")]],
      ["Items not found", [by("items_not_found")]],
      ["Items unavailable", [by("items_unavailable")]],
      ["Credits charged by scraper", [credits("credits_charged", "scraper")]],
      ["Credits charged by service", [credits("credits_charged", "service")]],
      ["Credits reserved", [credits("credits_reserved", "service")]],
      ["Credits refunded", [credits("credits_refunded", "service")]],
      [
        "Ledger p50 and p99, ms",
        [
          ledger("ledger_reserve_ms", "p50"),
          ledger("ledger_reserve_ms", "p99"),
          ledger("ledger_settle_ms", "p50"),
          ledger("ledger_settle_ms", "p99"),
        ],
      ],
      ["Ledger retries", [ledger("ledger_retries", Stats.SUM)]],
      [
        "Calls not counted by the shared limiter",
        [this.one("limiter", "limiter_local", Stats.SUM)],
      ],
    ]);
  }

  private runs(): IWidget[] {
    const { stage } = this.#observed;
    const starts = (name: MetricName<"run_starts">, statistic: string): IMetric =>
      ownMetric(stage, { kind: "run_starts", name, statistic, minutes }, {});
    const ends = (name: MetricName<"run_ends">, statistic: string): IMetric =>
      ownMetric(stage, { kind: "run_ends", name, statistic, minutes }, {});
    return rowOf([
      [
        "Runs",
        [
          starts("runs_started", Stats.SUM),
          ends("runs_completed", Stats.SUM),
          ends("runs_failed", Stats.SUM),
          ends("runs_unpaid", Stats.SUM),
          ends("runs_held", Stats.SUM),
          ends("runs_shape_changed", Stats.SUM),
          starts("runs_overlapped", Stats.SUM),
        ],
      ],
      ["Start after due, ms", [starts("run_late_ms", "p50"), starts("run_late_ms", "p90")]],
      ["Duration of runs, ms", [ends("run_ms", "p50"), ends("run_ms", "p99")]],
      [
        "Found by the sweeper",
        (
          ["swept_lists", "swept_runs", "swept_purges", "swept_holds", "sweep_failures"] as const
        ).map((name) =>
          ownMetric(stage, { kind: "sweeps", name, statistic: Stats.MAXIMUM, minutes }, {}),
        ),
      ],
    ]);
  }

  private sources(): IWidget[] {
    const { stage } = this.#observed;
    const by = ["scraper"] as const;
    const calls = { kind: "sources", name: "source_call_ms", statistic: "p90", minutes } as const;
    const source = ["source", "scraper"] as const;
    return rowOf([
      [
        "Steps p90, ms",
        [ownSearch(stage, { kind: "steps", name: "step_ms", statistic: "p90", minutes }, by)],
      ],
      [
        "Batches p90, ms",
        [ownSearch(stage, { kind: "batches", name: "batch_ms", statistic: "p90", minutes }, by)],
      ],
      ["Source calls p90, ms", [ownSearch(stage, calls, source)]],
      ["Source reads p90, ms", [ownSearch(stage, { ...calls, name: "source_read_ms" }, source)]],
      ["Source calls", [this.sums("sources", "source_calls", source)]],
      ["Source attempts", [this.sums("sources", "source_tries", source)]],
      ["Attempts throttled by sources", [this.sums("sources", "source_throttled", source)]],
      ["Circuits opened", [this.sums("sources", "source_circuits_opened", source)]],
    ]);
  }

  private deliveries(): IWidget[] {
    const of = (name: MetricName<"deliveries">, statistic: string = Stats.SUM): IMetric =>
      this.one("deliveries", name, statistic);
    const exported = (name: MetricName<"exports">, statistic: string = Stats.SUM): IMetric =>
      this.one("exports", name, statistic);
    return rowOf([
      [
        "Delivery attempts",
        [
          of("delivery_attempts"),
          of("delivery_succeeded"),
          of("delivery_failed"),
          of("delivery_given_up"),
        ],
      ],
      [
        "Export attempts",
        [
          exported("export_attempts"),
          exported("export_succeeded"),
          exported("export_failed"),
          exported("export_given_up"),
        ],
      ],
      [
        "Response time of receivers, ms",
        [of("delivery_ms", "p50"), of("delivery_ms", "p99"), exported("export_ms", "p99")],
      ],
      [
        "Delay after due time, ms",
        [
          of("delivery_late_ms", "p50"),
          of("delivery_late_ms", "p90"),
          exported("export_late_ms", "p90"),
        ],
      ],
      [
        "Receivers",
        [
          this.one("receivers", "receivers_tried", Stats.SUM),
          this.one("receivers", "receivers_failing", Stats.SUM),
        ],
      ],
      ["Targets woken by the sweeper", [this.one("sweeps", "swept_deliveries", Stats.SUM)]],
      ...(this.#observed.hasEventBus ? eventBusGraphs(this.#observed.stage) : []),
    ]);
  }

  private queues(): IWidget[] {
    const { queues } = this.#observed;
    return rowOf([
      [
        "Oldest message, s",
        queues.map(({ name, queue }) =>
          queue.metricApproximateAgeOfOldestMessage({ period, label: name }),
        ),
      ],
      [
        "Messages waiting",
        queues.map(({ name, queue }) =>
          queue.metricApproximateNumberOfMessagesVisible({ period, label: name }),
        ),
      ],
      [
        "Dead letters",
        queues.map(({ name, deadLetterQueue }) =>
          deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period, label: name }),
        ),
      ],
    ]);
  }

  private resources(): IWidget[] {
    const { stage, functions, tables, api } = this.#observed;
    const errors = { kind: "errors", name: "unforeseen_errors", statistic: Stats.SUM } as const;
    const table = (metricName: string): IMetric[] =>
      tables.flatMap(({ name, capacities }) =>
        capacities.map(
          (dimensionsMap) =>
            new Metric({
              namespace: "AWS/DynamoDB",
              metricName,
              dimensionsMap,
              ...sum,
              label: [name, dimensionsMap["GlobalSecondaryIndexName"], metricName]
                .filter((word) => word !== undefined)
                .join(" "),
            }),
        ),
      );
    return rowOf([
      [
        "Function errors",
        functions.map(({ name, lambda }) => lambda.metricErrors({ ...sum, label: name })),
      ],
      ["Unforeseen errors", [ownSearch(stage, { ...errors, minutes }, ["service"])]],
      [
        "Function throttles",
        functions.map(({ name, lambda }) => lambda.metricThrottles({ ...sum, label: name })),
      ],
      ["Gateway", [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]],
      ["Reads", table("ConsumedReadCapacityUnits")],
      ["Writes", table("ConsumedWriteCapacityUnits")],
      ["Throttled requests", [...table("ReadThrottleEvents"), ...table("WriteThrottleEvents")]],
    ]);
  }

  private sums<K extends MetricKind>(
    kind: K,
    name: MetricName<K>,
    by: Parameters<typeof ownSearch<K>>[2],
  ): IMetric {
    return ownSearch(this.#observed.stage, { kind, name, statistic: Stats.SUM, minutes }, by);
  }

  private one(kind: UndividedKind, name: MetricName<UndividedKind>, statistic: string): IMetric {
    return ownMetric(this.#observed.stage, { kind, name, statistic, minutes }, {});
  }
}

/** Creates graphs side by side, four in a row. */
const rowOf = (graphs: readonly (readonly [string, readonly IMetric[]])[]): IWidget[] =>
  graphs.map(
    ([title, left]) =>
      new GraphWidget({ title, left: [...left], width: 6, height: widgetHeight, period }),
  );
