import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { FunctionName } from "../../functions/environment.ts";
import type { Stage } from "../config.ts";
import type { QueueWorker } from "../constructs/queue-worker.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { GroupName } from "../../functions/routes.ts";
import { tableSchema } from "../../shared/base/table-schema.ts";
import type { DataStack } from "../data-stack.ts";
import type { Workers } from "../workers.ts";

/** What dashboard and alarms look at, with short names for people. */
export interface Observed {
  readonly stage: Stage;
  readonly api: RestApi;
  readonly functions: readonly { readonly name: FunctionName; readonly lambda: IFunction }[];
  readonly queues: readonly ObservedQueue[];
  readonly tables: readonly ObservedTable[];
}

export interface ObservedTable {
  readonly name: string;
  /** Dimensions of the metrics of the table itself, and of those of its index where it has one. */
  readonly capacities: readonly Readonly<Record<string, string>>[];
  readonly tableName: string;
}

export interface ObservedQueue {
  readonly name: string;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  /** What is older waits too long; above one repeat, which takes six times the worker's timeout. */
  readonly ageMinutesMax: number;
  /** What waiting means for a user. */
  readonly impact: string;
}

export interface ObservedParts {
  readonly stage: Stage;
  readonly api: RestApi;
  readonly byGroup: Readonly<Record<GroupName, ServiceFunction<GroupName>>>;
  readonly workers: Workers;
  readonly data: DataStack;
}

export function observed({ stage, api, byGroup, workers, data }: ObservedParts): Observed {
  const { runs, steps, finishes, deliveries, sweeper } = workers;
  const { accounts, ledger, watchlists, deliveries: outbox } = data;
  const ofWorkers = [runs, steps, finishes, deliveries].map((worker) => worker.function);
  return {
    stage,
    api,
    functions: [...Object.values(byGroup), ...ofWorkers, sweeper],
    queues: [
      queueOf("runs", runs, {
        ageMinutesMax: 15,
        impact: "Runs that are due, or that somebody asked for, have waited for 15 minutes.",
      }),
      queueOf("steps", steps, {
        ageMinutesMax: 30,
        impact: "Runs are under way and nothing is read for half an hour: results come late.",
      }),
      queueOf("finishes", finishes, {
        ageMinutesMax: 45,
        impact: "Runs have ended and their events have not been sent for 45 minutes.",
      }),
      queueOf("deliveries", deliveries, {
        ageMinutesMax: 60,
        impact: "Webhooks and exports have waited for an hour.",
      }),
    ],
    tables: Object.entries({ accounts, ledger, watchlists, deliveries: outbox }).map(
      ([name, table]) => tableOf(name, table, data.dueIndexed.includes(table)),
    ),
  };
}

function tableOf(name: string, { tableName }: Table, hasDueIndex: boolean): ObservedTable {
  const ofTable = { TableName: tableName };
  const ofIndex = { ...ofTable, GlobalSecondaryIndexName: tableSchema.dueIndex.name };
  return { name, tableName, capacities: hasDueIndex ? [ofTable, ofIndex] : [ofTable] };
}

const queueOf = (
  name: string,
  { queue, deadLetterQueue }: Pick<QueueWorker<never>, "queue" | "deadLetterQueue">,
  limits: Pick<ObservedQueue, "ageMinutesMax" | "impact">,
): ObservedQueue => ({ name, queue, deadLetterQueue, ...limits });
