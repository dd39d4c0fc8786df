/**
 * The composition root: which adapter stands behind which port. Each function composes only what it
 * needs from these, so that its bundle holds only the clients it uses.
 */
import { Logger } from "@aws-lambda-powertools/logger";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { AccountStore } from "../shared/accounts/account-store.ts";
import { dynamoAccountStore } from "../shared/aws/account-store.ts";
import { documentClient } from "../shared/aws/dynamo.ts";
import { dynamoLedger } from "../shared/aws/ledger.ts";
import { sqsRunQueue } from "../shared/aws/run-queue.ts";
import { dynamoRunStore } from "../shared/aws/run-store.ts";
import { eventBridgeSchedules } from "../shared/aws/schedules.ts";
import { dynamoWatchlistStore } from "../shared/aws/watchlist-store.ts";
import { systemChance, systemClock } from "../shared/base/system.ts";
import type { Ledger } from "../shared/credits/ledger.ts";
import type { RunQueue } from "../shared/runs/run-queue.ts";
import type { RunStore } from "../shared/runs/run-store.ts";
import type { Schedules } from "../shared/watchlists/schedules.ts";
import type { WatchlistStore } from "../shared/watchlists/watchlist-store.ts";
import type { FunctionName } from "./environment.ts";
import type { EdgeDependencies } from "./http/group-handler.ts";

export const clock = systemClock;
export const chance = systemChance;

type Needs<Name extends string> = Readonly<Record<Name, string>>;

/** Makes a client once per process, when it is first needed. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export const dynamo: () => DynamoDBDocumentClient = once(documentClient);
export const sqs = once(() => new SQSClient({}));
const scheduler = once(() => new SchedulerClient({}));

/** Builds a handler at its first call: importing a function reads no environment. */
export function onFirstCall<Arguments extends unknown[], Result>(
  create: () => (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  const handler = once(create);
  return (...args) => handler()(...args);
}

export const logger = (environment: Needs<"STAGE">, name: FunctionName): Logger =>
  new Logger({ serviceName: name, persistentLogAttributes: { stage: environment.STAGE } });

export const accounts = (
  environment: Needs<"ACCOUNTS_TABLE"> & Partial<Needs<"LEDGER_TABLE">>,
): AccountStore =>
  dynamoAccountStore(dynamo(), {
    accounts: environment.ACCOUNTS_TABLE,
    ...(environment.LEDGER_TABLE === undefined ? {} : { ledger: environment.LEDGER_TABLE }),
  });

/** What every route group needs. */
export const edge = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE">,
  name: FunctionName,
): EdgeDependencies => ({
  accounts: accounts({ ACCOUNTS_TABLE: environment.ACCOUNTS_TABLE }),
  clock,
  chance,
  logger: logger(environment, name),
});

export const ledger = (environment: Needs<"ACCOUNTS_TABLE" | "LEDGER_TABLE">): Ledger =>
  dynamoLedger(dynamo(), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ledgerTable: environment.LEDGER_TABLE,
    clock,
    chance,
  });

export const watchlists = (environment: Needs<"WATCHLISTS_TABLE">): WatchlistStore =>
  dynamoWatchlistStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const runs = (environment: Needs<"WATCHLISTS_TABLE">): RunStore =>
  dynamoRunStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const runQueue = (
  environment: Partial<Needs<"RUNS_QUEUE_URL" | "STEPS_QUEUE_URL" | "FINISHES_QUEUE_URL">>,
): RunQueue =>
  sqsRunQueue(sqs(), {
    ...(environment.RUNS_QUEUE_URL === undefined ? {} : { runs: environment.RUNS_QUEUE_URL }),
    ...(environment.STEPS_QUEUE_URL === undefined ? {} : { steps: environment.STEPS_QUEUE_URL }),
    ...(environment.FINISHES_QUEUE_URL === undefined
      ? {}
      : { finishes: environment.FINISHES_QUEUE_URL }),
  });

export const schedules = (
  environment: Needs<"SCHEDULE_GROUP"> & Partial<Needs<"RUNS_QUEUE_ARN" | "SCHEDULE_ROLE_ARN">>,
): Schedules =>
  eventBridgeSchedules(scheduler(), {
    group: environment.SCHEDULE_GROUP,
    ...(environment.RUNS_QUEUE_ARN === undefined || environment.SCHEDULE_ROLE_ARN === undefined
      ? {}
      : {
          target: {
            queueArn: environment.RUNS_QUEUE_ARN,
            roleArn: environment.SCHEDULE_ROLE_ARN,
          },
        }),
  });
