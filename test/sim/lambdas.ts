// Functions load this library at its first use. Loading takes real time, which the task scheduler
// cannot count. The library must therefore be loaded before the simulation begins.
import "hyparquet-writer";
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

/** The names of the functions that the simulation runs. */
export type LambdaName = keyof typeof creators;
export type ApiName = Exclude<LambdaName, WorkerName>;
type WorkerName = "delivery" | "run-finisher" | "run-starter" | "run-step" | "sweeper";

/** The handler of a function. Its event type depends on the function. */
export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

/** The timeouts of the functions in seconds, as the stacks set them. */
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

/** The function that handles each queue and its batch size, as the stacks set them. */
export const workers: Readonly<
  Record<QueueName, { readonly name: LambdaName; readonly batchSize: number }>
> = {
  runs: { name: "run-starter", batchSize: 5 },
  steps: { name: "run-step", batchSize: 1 },
  finishes: { name: "run-finisher", batchSize: 1 },
  deliveries: { name: "delivery", batchSize: 10 },
};

/**
 * Returns the environment variables of all functions. All stores use one table, because their keys
 * never collide.
 */
const variables = (table: string): Readonly<Record<string, string>> => ({
  STAGE: "dev",
  ACCOUNTS_TABLE: table,
  LEDGER_TABLE: table,
  WATCHLISTS_TABLE: table,
  DELIVERIES_TABLE: table,
  SOURCES: "{}",
  API_URL: "https://service.example/",
  RESPONSE_MODE: "buffer",
  RUNS_QUEUE_URL: "https://sqs/runs",
  STEPS_QUEUE_URL: "https://sqs/steps",
  FINISHES_QUEUE_URL: "https://sqs/finishes",
  DELIVERIES_QUEUE_URL: "https://sqs/deliveries",
  SCHEDULE_GROUP: "lists",
  SCHEDULE_ROLE_ARN: "arn:aws:iam::1:role/schedules",
  EVENTS_BUCKET: "events",
  SECRETS_KEY_ID: "key",
  DOMAIN_NAME: "none",
});

/** Returns the name of the event bus, as the stacks set it; `none` if there is no bus. */
export const busNameOf = ({ eventBus }: Overrides): string =>
  eventBus === undefined ? "none" : "events";

/** Creates a handler with empty caches, as a new Lambda environment does. */
export function createLambda(name: LambdaName, table: string, overrides: Overrides): LambdaHandler {
  const create = creators[name] as (
    environment: Readonly<Record<string, string>>,
    overrides: Overrides,
  ) => LambdaHandler;
  return create({ ...variables(table), EVENT_BUS_NAME: busNameOf(overrides) }, overrides);
}
