import type { Context } from "aws-lambda";
import { createHandler as account } from "../../functions/account/handler.ts";
import { createHandler as delivery } from "../../functions/delivery/handler.ts";
import type { FunctionName } from "../../functions/environment.ts";
import { createHandler as events } from "../../functions/events/handler.ts";
import { createHandler as offers } from "../../functions/offers/handler.ts";
import type { Overrides } from "../../functions/composition/overrides.ts";
import { createHandler as products } from "../../functions/products/handler.ts";
import { createHandler as runFinisher } from "../../functions/run-finisher/handler.ts";
import { createHandler as runStarter } from "../../functions/run-starter/handler.ts";
import { createHandler as runStep } from "../../functions/run-step/handler.ts";
import { createHandler as s3Destination } from "../../functions/s3-destination/handler.ts";
import { createHandler as sweeper } from "../../functions/sweeper/handler.ts";
import { createHandler as watchlists } from "../../functions/watchlists/handler.ts";
import { createHandler as webhookEndpoints } from "../../functions/webhook-endpoints/handler.ts";
import type { QueueName } from "./virtual-queues.ts";

const creators = {
  account,
  delivery,
  events,
  offers,
  products,
  "run-finisher": runFinisher,
  "run-starter": runStarter,
  "run-step": runStep,
  "s3-destination": s3Destination,
  sweeper,
  watchlists,
  "webhook-endpoints": webhookEndpoints,
} as const satisfies Partial<Record<FunctionName, unknown>>;

/** The simulated functions. */
export type LambdaName = keyof typeof creators;
export type ApiName = Exclude<LambdaName, WorkerName>;
type WorkerName = "delivery" | "run-finisher" | "run-starter" | "run-step" | "sweeper";

/** A Lambda handler; the type of its event depends on the function. */
export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

/** Lambda timeouts in seconds, as in the stacks. */
export const timeoutSeconds: Readonly<Record<LambdaName, number>> = {
  account: 29,
  events: 29,
  offers: 29,
  products: 29,
  "s3-destination": 29,
  watchlists: 29,
  "webhook-endpoints": 29,
  "run-starter": 60,
  "run-step": 180,
  "run-finisher": 300,
  delivery: 300,
  sweeper: 120,
};

/** The consumer of each queue and its batch size, as in the stacks. */
export const workers: Readonly<
  Record<QueueName, { readonly name: LambdaName; readonly batchSize: number }>
> = {
  runs: { name: "run-starter", batchSize: 5 },
  steps: { name: "run-step", batchSize: 1 },
  finishes: { name: "run-finisher", batchSize: 1 },
  deliveries: { name: "delivery", batchSize: 10 },
};

/** All environment variables of all functions. One table serves all stores, whose keys are disjoint. */
const variables = (table: string): Readonly<Record<string, string>> => ({
  STAGE: "dev",
  ACCOUNTS_TABLE: table,
  LEDGER_TABLE: table,
  WATCHLISTS_TABLE: table,
  DELIVERIES_TABLE: table,
  SOURCES: "{}",
  RESPONSE_MODE: "buffer",
  RUNS_QUEUE_URL: "https://sqs/runs",
  STEPS_QUEUE_URL: "https://sqs/steps",
  FINISHES_QUEUE_URL: "https://sqs/finishes",
  DELIVERIES_QUEUE_URL: "https://sqs/deliveries",
  SCHEDULE_GROUP: "lists",
  SCHEDULE_ROLE_ARN: "arn:aws:iam::1:role/schedules",
  EVENTS_BUCKET: "events",
  SECRETS_KEY_ID: "key",
});

/** Creates the handler of a new process. */
export function createLambda(name: LambdaName, table: string, overrides: Overrides): LambdaHandler {
  const create = creators[name] as (
    environment: Readonly<Record<string, string>>,
    overrides: Overrides,
  ) => LambdaHandler;
  return create(variables(table), overrides);
}
