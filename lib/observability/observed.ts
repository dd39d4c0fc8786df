import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { FunctionName } from "../../functions/environment.ts";
import type { Stage } from "../config.ts";
import type { QueueWorker } from "../constructs/queue-worker.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { GroupName } from "../../functions/routes.ts";
import { tableSchema } from "../../shared/base/table-schema.ts";
import type { DataReferences, TableReference } from "../data-references.ts";
import type { Workers } from "../workers.ts";

/** The resources that the dashboard and the alarms observe, with their display names. */
export interface Observed {
  readonly stage: Stage;
  readonly api: RestApi;
  readonly functions: readonly { readonly name: FunctionName; readonly lambda: LambdaFunction }[];
  readonly queues: readonly ObservedQueue[];
  readonly tables: readonly ObservedTable[];
  /** The AWS account's quota of parallel Lambda invocations in the region. */
  readonly accountConcurrency: number;
  /** True if the deployment has an event bus. */
  readonly hasEventBus: boolean;
}

export interface ObservedTable {
  readonly name: string;
  /** Metric dimensions of the table and, if it has one, of its due index. */
  readonly capacities: readonly Readonly<Record<string, string>>[];
  readonly tableName: string;
}

export interface ObservedQueue {
  readonly name: string;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  /**
   * Alarm threshold for the age of the oldest message, in minutes. It exceeds the time of one
   * retry, which is six times the worker's timeout.
   */
  readonly ageMinutesMax: number;
  /** What users notice while messages wait too long: a full sentence. */
  readonly impact: string;
}

export interface ObservedParts {
  readonly stage: Stage;
  readonly api: RestApi;
  readonly byGroup: Readonly<Record<GroupName, ServiceFunction<GroupName>>>;
  readonly workers: Workers;
  readonly data: DataReferences;
  readonly accountConcurrency: number;
}

/** Collects the resources for alarms and graphs from the constructs of the app. */
export function collectResources(parts: ObservedParts): Observed {
  const { stage, api, byGroup, workers, data, accountConcurrency } = parts;
  const { runs, steps, finishes, deliveries, backtests } = workers;
  const { accounts, ledger, watchlists, deliveries: outbox } = data;
  return {
    stage,
    api,
    accountConcurrency,
    hasEventBus: data.eventBus !== null,
    functions: [...Object.values(byGroup), ...workers.functions],
    queues: [
      queueOf("runs", runs, {
        ageMinutesMax: 15,
        impact: "Scheduled or manual runs have been waiting to start for 15 minutes.",
      }),
      queueOf("steps", steps, {
        ageMinutesMax: 30,
        impact:
          "Batches of runs in progress have been waiting for 30 minutes: the results of these runs are late.",
      }),
      queueOf("finishes", finishes, {
        ageMinutesMax: 45,
        impact:
          "Runs that read all items have been waiting for the finisher for 45 minutes: their events are late.",
      }),
      queueOf("deliveries", deliveries, {
        ageMinutesMax: 60,
        impact: "Webhooks and exports have been waiting for an hour.",
      }),
      queueOf("backtests", backtests, {
        ageMinutesMax: 60,
        impact: "Large back-tests have been waiting for an hour. After two hours they fail.",
      }),
    ],
    tables: Object.entries({ accounts, ledger, watchlists, deliveries: outbox }).map(
      ([name, table]) => tableOf(name, table, data.dueIndexed.includes(table)),
    ),
  };
}

/**
 * Returns a table with the metric dimensions of its capacity and, if it has one, of its due index.
 */
function tableOf(name: string, { tableName }: TableReference, hasDueIndex: boolean): ObservedTable {
  const ofTable = { TableName: tableName };
  const ofIndex = { ...ofTable, GlobalSecondaryIndexName: tableSchema.dueIndex.name };
  return { name, tableName, capacities: hasDueIndex ? [ofTable, ofIndex] : [ofTable] };
}

const queueOf = (
  name: string,
  { queue, deadLetterQueue }: Pick<QueueWorker<never>, "queue" | "deadLetterQueue">,
  limits: Pick<ObservedQueue, "ageMinutesMax" | "impact">,
): ObservedQueue => ({ name, queue, deadLetterQueue, ...limits });
