import { Duration } from "aws-cdk-lib";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { WorkerName } from "../functions/environment.ts";
import type { Config, Stage } from "./config.ts";
import { MinuteSchedule } from "./constructs/minute-schedule.ts";
import { QueueWorker } from "./constructs/queue-worker.ts";
import type { RunSchedules } from "./constructs/run-schedules.ts";
import { ServiceFunction } from "./constructs/service-function.ts";
import type { ServiceFunctionProps } from "./constructs/service-function.ts";
import type { DataReferences } from "./data-references.ts";
import {
  grantAssumeCustomerRoles,
  grantDecrypt,
  grantDueIndex,
  grantObjectRead,
  grantObjectWrite,
  grantPutEvents,
  grantScheduleManage,
  grantSend,
  grantTable,
} from "./grants.ts";
import { grantSourceSecrets, sourcesVariable } from "./source-config.ts";

export interface WorkersProps {
  readonly stage: Stage;
  readonly config: Config;
  readonly data: DataReferences;
  readonly schedules: RunSchedules;
  /** Base URL of the API, with a slash at its end. */
  readonly apiUrl: string;
}

/** Number of receives after which SQS moves a message to the dead-letter queue. */
const receivesMax = 5;

/** The workers of the queues, in the order in which a run uses them, and the sweeper. */
export class Workers extends Construct {
  readonly runs: QueueWorker<"run-starter">;
  readonly steps: QueueWorker<"run-step">;
  readonly finishes: QueueWorker<"run-finisher">;
  readonly deliveries: QueueWorker<"delivery">;
  readonly backtests: QueueWorker<"backtest-runner">;
  readonly sweeper: ServiceFunction<"sweeper">;
  /** Dead-letter queue of invocations of the sweeper that its schedule could not deliver. */
  readonly sweeperDeadLetterQueue: IQueue;
  /** The functions of the workers and the sweeper. */
  readonly functions: readonly ServiceFunction<WorkerName>[];
  readonly #props: WorkersProps;

  constructor(scope: Construct, id: string, props: WorkersProps) {
    super(scope, id);
    this.#props = props;
    // The workers are created in reverse order, because a worker needs the URLs of the queues to
    // which it sends.
    this.deliveries = this.deliveryWorker();
    this.finishes = this.finishWorker();
    this.steps = this.stepWorker();
    this.runs = this.runWorker();
    this.backtests = this.backtestWorker();
    this.sweeper = this.sweeperFunction();
    this.sweeperDeadLetterQueue = this.sweeperSchedule().deadLetterQueue;
    const { runs, steps, finishes, deliveries, backtests, sweeper } = this;
    this.functions = [
      ...[runs, steps, finishes, deliveries, backtests].map((worker) => worker.function),
      sweeper,
    ];
  }

  private runWorker(): QueueWorker<"run-starter"> {
    const { stage, config, data, schedules } = this.#props;
    const runs = new QueueWorker(this, "Runs", {
      function: this.worker("run-starter", "Starts the runs that are due.", 60),
      variables: (own) => ({
        STAGE: stage,
        ACCOUNTS_TABLE: data.accounts.tableName,
        LEDGER_TABLE: data.ledger.tableName,
        WATCHLISTS_TABLE: data.watchlists.tableName,
        DELIVERIES_TABLE: data.deliveries.tableName,
        STEPS_QUEUE_URL: this.steps.queue.queueUrl,
        FINISHES_QUEUE_URL: this.finishes.queue.queueUrl,
        RUNS_QUEUE_URL: own.queueUrl,
        SCHEDULE_GROUP: schedules.group.scheduleGroupName,
        SCHEDULE_ROLE_ARN: schedules.role.roleArn,
      }),
      batchSize: 5,
      concurrencyMax: config.concurrencyMax.runs,
      receivesMax,
      impact:
        "Runs of watchlists do not start: the sweeper starts them late or not at all. A call that " +
        "returned 503 may stay charged until you replay the message that cancels the charge.",
    });
    this.grantRunTables(runs);
    // The run starter itself ends a run that has no items to read, such as a skip. To end the run,
    // it reads the watchlist's webhook endpoint.
    grantTable(runs, data.deliveries, "read");
    grantSend(runs, this.steps.queue);
    grantScheduleManage(runs, schedules.scheduleArns, schedules.role);
    grantSend(schedules.role, runs.queue);
    return runs;
  }

  private stepWorker(): QueueWorker<"run-step"> {
    const { stage, config, data } = this.#props;
    const steps = new QueueWorker(this, "Steps", {
      function: {
        ...this.worker("run-step", "Reads one batch of a run's step.", 180),
        memoryMegabytes: config.memoryMegabytes.step,
        sendsToItself: true,
      },
      variables: (own) => ({
        STAGE: stage,
        ACCOUNTS_TABLE: data.accounts.tableName,
        LEDGER_TABLE: data.ledger.tableName,
        WATCHLISTS_TABLE: data.watchlists.tableName,
        STEPS_QUEUE_URL: own.queueUrl,
        FINISHES_QUEUE_URL: this.finishes.queue.queueUrl,
        SOURCES: sourcesVariable(this, config.sources),
        API_URL: this.#props.apiUrl,
      }),
      batchSize: 1,
      concurrencyMax: config.concurrencyMax.steps,
      receivesMax,
      impact: "A batch of a watchlist's items was not read: the run stalls and fails.",
    });
    this.grantRunTables(steps);
    grantSend(steps, steps.queue);
    grantSourceSecrets(steps, config.sources);
    return steps;
  }

  private finishWorker(): QueueWorker<"run-finisher"> {
    const { stage, config, data } = this.#props;
    const finishes = new QueueWorker(this, "Finishes", {
      function: {
        ...this.worker("run-finisher", "Ends runs and publishes their events.", 300),
        memoryMegabytes: config.memoryMegabytes.finisher,
      },
      variables: () => ({
        STAGE: stage,
        WATCHLISTS_TABLE: data.watchlists.tableName,
        DELIVERIES_TABLE: data.deliveries.tableName,
        EVENTS_BUCKET: data.events.bucketName,
        DELIVERIES_QUEUE_URL: this.deliveries.queue.queueUrl,
        EVENT_BUS_NAME: data.eventBus?.busName ?? "none",
      }),
      batchSize: 1,
      concurrencyMax: config.concurrencyMax.finishes,
      receivesMax,
      impact: "A run was read and charged, but its events were not published.",
    });
    grantTable(finishes, data.watchlists, "read-write");
    grantTable(finishes, data.deliveries, "read-write");
    grantObjectWrite(finishes, data.events);
    grantSend(finishes, this.deliveries.queue);
    return finishes;
  }

  private deliveryWorker(): QueueWorker<"delivery"> {
    const { stage, config, data } = this.#props;
    const deliveries = new QueueWorker(this, "Deliveries", {
      function: {
        ...this.worker("delivery", "Sends events to webhook endpoints and buckets.", 300),
        memoryMegabytes: config.memoryMegabytes.delivery,
        sendsToItself: true,
      },
      variables: (own) => ({
        STAGE: stage,
        DELIVERIES_TABLE: data.deliveries.tableName,
        EVENTS_BUCKET: data.events.bucketName,
        DELIVERIES_QUEUE_URL: own.queueUrl,
        SECRETS_KEY_ID: data.secretsKey.keyId,
        EVENT_BUS_NAME: data.eventBus?.busName ?? "none",
        API_URL: this.#props.apiUrl,
      }),
      batchSize: 10,
      concurrencyMax: config.concurrencyMax.deliveries,
      receivesMax,
      impact: "Webhooks or exports of an account are late because of an error of the service.",
    });
    grantTable(deliveries, data.deliveries, "read-write");
    grantObjectRead(deliveries, data.events);
    grantSend(deliveries, deliveries.queue);
    grantDecrypt(deliveries, data.secretsKey);
    grantAssumeCustomerRoles(deliveries);
    if (data.eventBus !== null) grantPutEvents(deliveries, data.eventBus);
    return deliveries;
  }

  private backtestWorker(): QueueWorker<"backtest-runner"> {
    const { stage, config, data } = this.#props;
    const backtests = new QueueWorker(this, "Backtests", {
      function: {
        ...this.worker("backtest-runner", "Runs back-tests that are too large for a call.", 900),
        memoryMegabytes: config.memoryMegabytes.backtest,
      },
      variables: () => ({ STAGE: stage, WATCHLISTS_TABLE: data.watchlists.tableName }),
      batchSize: 1,
      concurrencyMax: config.concurrencyMax.backtests,
      receivesMax,
      impact: "A back-test does not end. After two hours it is shown as failed.",
    });
    grantTable(backtests, data.watchlists, "read-write");
    return backtests;
  }

  private sweeperFunction(): ServiceFunction<"sweeper"> {
    const { stage, data, config } = this.#props;
    const sweeper = new ServiceFunction(this, "Sweeper", {
      ...this.worker("sweeper", "Finds overdue work and sends wake-up messages.", 120),
      ...(config.reservedConcurrency !== null && {
        reservedConcurrency: config.reservedConcurrency.sweeper,
      }),
      variables: {
        STAGE: stage,
        ACCOUNTS_TABLE: data.accounts.tableName,
        LEDGER_TABLE: data.ledger.tableName,
        WATCHLISTS_TABLE: data.watchlists.tableName,
        DELIVERIES_TABLE: data.deliveries.tableName,
        RUNS_QUEUE_URL: this.runs.queue.queueUrl,
        DELIVERIES_QUEUE_URL: this.deliveries.queue.queueUrl,
      },
    });
    for (const table of [data.accounts, data.watchlists]) grantTable(sweeper, table, "read-write");
    for (const table of [data.accounts, data.watchlists, data.deliveries]) {
      grantDueIndex(sweeper, table);
    }
    grantTable(sweeper, data.ledger, "append");
    for (const { queue } of [this.runs, this.deliveries]) grantSend(sweeper, queue);
    return sweeper;
  }

  private sweeperSchedule(): MinuteSchedule {
    return new MinuteSchedule(this, "SweeperSchedule", {
      description: "Starts the sweeper every minute.",
      target: this.sweeper.live,
      deadLetterQueueId: "SweeperDeadLetterQueue",
      impact:
        "The sweeper does not run: overdue runs are not started, overdue deliveries are not sent, and " +
        "expired holds are not released.",
    });
  }

  private grantRunTables(worker: QueueWorker<"run-starter"> | QueueWorker<"run-step">): void {
    const { data } = this.#props;
    grantTable(worker, data.accounts, "read-write");
    grantTable(worker, data.ledger, "append");
    grantTable(worker, data.watchlists, "read-write");
    grantSend(worker, this.finishes.queue);
  }

  private worker<Name extends WorkerName>(
    name: Name,
    description: string,
    timeoutSeconds: number,
  ): Omit<ServiceFunctionProps<Name>, "variables"> {
    const { config } = this.#props;
    return {
      name,
      description: `Worker: ${description}`,
      timeout: Duration.seconds(timeoutSeconds),
      memoryMegabytes: config.memoryMegabytes.worker,
      config,
    };
  }
}
