/**
 * The composition root: which adapter stands behind which port. Each function composes only what it
 * needs from these, so that its bundle holds only the clients it uses.
 */
import { Logger } from "@aws-lambda-powertools/logger";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { ChangeMessageVisibilityCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "../shared/accounts/account-store.ts";
import type { ApiKeyStore } from "../shared/accounts/api-key-store.ts";
import type { UsageStore } from "../shared/accounts/usage-store.ts";
import { dynamoAccountStore } from "../shared/aws/account-store.ts";
import { dynamoApiKeyStore } from "../shared/aws/api-key-store.ts";
import { dynamoCreditHistory } from "../shared/aws/credit-history.ts";
import { s3CustomerBuckets } from "../shared/aws/customer-bucket.ts";
import { sqsDeliveryQueue } from "../shared/aws/delivery-queue.ts";
import { dynamoDeliveryStore } from "../shared/aws/delivery-store.ts";
import { dynamoDestinationStore } from "../shared/aws/destination-store.ts";
import { dynamoDueWork } from "../shared/aws/due-work.ts";
import { documentClient } from "../shared/aws/dynamo.ts";
import { dynamoEndpointStore } from "../shared/aws/endpoint-store.ts";
import { s3EventBodies } from "../shared/aws/event-bodies.ts";
import { dynamoEventFeed } from "../shared/aws/event-feed.ts";
import { dynamoExportJobStore } from "../shared/aws/export-job-store.ts";
import { hostResolver } from "../shared/aws/host-resolver.ts";
import { dynamoIdempotencyStore } from "../shared/aws/idempotency-store.ts";
import { dynamoLedger } from "../shared/aws/ledger.ts";
import { dynamoPageStore } from "../shared/aws/page-store.ts";
import { dynamoPurgeStore } from "../shared/aws/purge-store.ts";
import { dynamoRunJobStore } from "../shared/aws/run-job-store.ts";
import { sqsRunQueue } from "../shared/aws/run-queue.ts";
import { dynamoRunStore } from "../shared/aws/run-store.ts";
import { eventBridgeSchedules } from "../shared/aws/schedules.ts";
import { kmsSecretBox } from "../shared/aws/secret-box.ts";
import { dynamoStepStore } from "../shared/aws/step-store.ts";
import { dynamoUsageStore } from "../shared/aws/usage-store.ts";
import { dynamoWatchlistStore } from "../shared/aws/watchlist-store.ts";
import { webhookSender } from "../shared/aws/webhook-sender.ts";
import type { Warn } from "../shared/base/hint.ts";
import type { SecretBox } from "../shared/base/secret-box.ts";
import { systemChance, systemClock } from "../shared/base/system.ts";
import type { CreditHistory } from "../shared/credits/credit-history.ts";
import type { Ledger } from "../shared/credits/ledger.ts";
import type { ExportRunDependencies } from "../shared/exports/export-run.ts";
import type { PutDestinationDependencies } from "../shared/exports/put-destination.ts";
import { runExports } from "../shared/exports/run-exports.ts";
import type { RunQueue } from "../shared/runs/run-queue.ts";
import type { RunStore } from "../shared/runs/run-store.ts";
import type { StepStore } from "../shared/runs/step-store.ts";
import type { ScraperId } from "../shared/scrapers/catalogue.ts";
import type { Scraper } from "../shared/scrapers/scraper.ts";
import { parseSources, scraperFor } from "../shared/sources/configuration.ts";
import {
  type OfferSources,
  offerSources as makeOfferSources,
} from "../shared/sources/offer-sources.ts";
import type { IdempotencyStore } from "../shared/watchlists/idempotency.ts";
import type { PageStore } from "../shared/watchlists/page-store.ts";
import type { PurgeStore } from "../shared/watchlists/purge-store.ts";
import type { Schedules } from "../shared/watchlists/schedules.ts";
import type { WatchlistStore } from "../shared/watchlists/watchlist-store.ts";
import { type AddressPolicy, addressPolicy } from "../shared/outgoing/address-policy.ts";
import type { CreateEndpointDependencies } from "../shared/webhooks/create-endpoint.ts";
import type { DeliverRunDependencies } from "../shared/webhooks/deliver-run.ts";
import type { DeliveryQueue } from "../shared/webhooks/delivery-queue.ts";
import type { EndpointStore } from "../shared/webhooks/endpoint-store.ts";
import type { EventBodies } from "../shared/events/event-archive.ts";
import { runEventPublisher } from "../shared/webhooks/publish.ts";
import type { RunEventPublisher } from "../shared/events/publisher.ts";
import type { DueWork } from "../shared/webhooks/work.ts";
import type { FunctionName } from "./environment.ts";
import type { EdgeDependencies } from "./http/group-handler.ts";
import type { Overrides } from "./overrides.ts";

export const clock = systemClock;
export const chance = systemChance;

type Needs<Name extends string> = Readonly<Record<Name, string>>;

/**
 * Makes a client once per process, when it is first needed. Its calls are marked pure, so that a
 * bundle leaves out the clients that its function does not use.
 */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const dynamo: () => DynamoDBDocumentClient = /* @__PURE__ */ once(documentClient);
const sqs = /* @__PURE__ */ once(() => new SQSClient({}));
const scheduler = /* @__PURE__ */ once(() => new SchedulerClient({}));
const kms = /* @__PURE__ */ once(() => new KMSClient({}));

/** Builds a handler at its first call: importing a function reads no environment. */
export function onFirstCall<Arguments extends unknown[], Result>(
  create: () => (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  const handler = once(create);
  return (...args) => handler()(...args);
}

export const logger = (environment: Needs<"STAGE">, name: FunctionName): Logger =>
  new Logger({ serviceName: name, persistentLogAttributes: { stage: environment.STAGE } });

export const warnThrough =
  (to: Logger): Warn =>
  (message, error) => {
    to.warn(message, error instanceof Error ? error : new Error(String(error)));
  };

export const accounts = (
  environment: Needs<"ACCOUNTS_TABLE"> & Partial<Needs<"LEDGER_TABLE">>,
): AccountStore =>
  dynamoAccountStore(dynamo(), {
    accounts: environment.ACCOUNTS_TABLE,
    ...(environment.LEDGER_TABLE === undefined ? {} : { ledger: environment.LEDGER_TABLE }),
  });

/** What a public route group needs: it knows no key, and carries no client to look one up. */
export const publicEdge = (environment: Needs<"STAGE">, name: FunctionName): EdgeDependencies => ({
  accounts: { admit: async () => ({ outcome: "unknown" }) },
  clock,
  chance,
  logger: logger(environment, name),
});

/** What every other route group needs. */
export const edge = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE">,
  name: FunctionName,
): EdgeDependencies & { readonly accounts: AccountStore } => ({
  ...publicEdge(environment, name),
  accounts: accounts({ ACCOUNTS_TABLE: environment.ACCOUNTS_TABLE }),
});

export const ledger = (environment: Needs<"ACCOUNTS_TABLE" | "LEDGER_TABLE">): Ledger =>
  dynamoLedger(dynamo(), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ledgerTable: environment.LEDGER_TABLE,
    clock,
    chance,
  });

export const apiKeys = (environment: Needs<"ACCOUNTS_TABLE">): ApiKeyStore =>
  dynamoApiKeyStore(dynamo(), environment.ACCOUNTS_TABLE);

export const usage = (environment: Needs<"ACCOUNTS_TABLE">): UsageStore =>
  dynamoUsageStore(dynamo(), environment.ACCOUNTS_TABLE);

export const creditHistory = (environment: Needs<"LEDGER_TABLE">): CreditHistory =>
  dynamoCreditHistory(dynamo(), environment.LEDGER_TABLE);

/** A buffered Lambda gives no answer over 6 MB; a streamed one has no such bound. */
export const answerBytesMax = (environment: Needs<"RESPONSE_MODE">): number | undefined =>
  environment.RESPONSE_MODE === "stream" ? undefined : 6_000_000;

export const watchlists = (environment: Needs<"WATCHLISTS_TABLE">): WatchlistStore =>
  dynamoWatchlistStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const pages = (environment: Needs<"WATCHLISTS_TABLE">): PageStore =>
  dynamoPageStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const idempotencyKeys = (environment: Needs<"WATCHLISTS_TABLE">): IdempotencyStore =>
  dynamoIdempotencyStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const purges = (environment: Needs<"WATCHLISTS_TABLE">): PurgeStore =>
  dynamoPurgeStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const runs = (environment: Needs<"WATCHLISTS_TABLE">): RunStore =>
  dynamoRunStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const steps = (environment: Needs<"WATCHLISTS_TABLE">): StepStore =>
  dynamoStepStore(dynamo(), { table: environment.WATCHLISTS_TABLE, clock, chance });

export const runQueue = (
  environment: Partial<Needs<"RUNS_QUEUE_URL" | "STEPS_QUEUE_URL" | "FINISHES_QUEUE_URL">>,
  hops = 0,
): RunQueue => {
  const urls = {
    ...(environment.RUNS_QUEUE_URL === undefined ? {} : { runs: environment.RUNS_QUEUE_URL }),
    ...(environment.STEPS_QUEUE_URL === undefined ? {} : { steps: environment.STEPS_QUEUE_URL }),
    ...(environment.FINISHES_QUEUE_URL === undefined
      ? {}
      : { finishes: environment.FINISHES_QUEUE_URL }),
  };
  return sqsRunQueue(sqs(), urls, hops);
};

export const schedules = (
  environment: Needs<"SCHEDULE_GROUP" | "RUNS_QUEUE_ARN" | "SCHEDULE_ROLE_ARN">,
): Schedules =>
  eventBridgeSchedules(scheduler(), {
    group: environment.SCHEDULE_GROUP,
    queueArn: environment.RUNS_QUEUE_ARN,
    roleArn: environment.SCHEDULE_ROLE_ARN,
  });

export const endpoints = (environment: Needs<"DELIVERIES_TABLE">): EndpointStore =>
  dynamoEndpointStore(dynamo(), { tableName: environment.DELIVERIES_TABLE, clock, chance });

export const secrets = (environment: Needs<"SECRETS_KEY_ID">): SecretBox =>
  kmsSecretBox(kms(), { keyId: environment.SECRETS_KEY_ID, clock });

export const deliveryQueue = (environment: Needs<"DELIVERIES_QUEUE_URL">): DeliveryQueue =>
  sqsDeliveryQueue(sqs(), environment.DELIVERIES_QUEUE_URL);

export const dueWork = (environment: Needs<"DELIVERIES_TABLE">): DueWork =>
  dynamoDueWork(dynamo(), environment.DELIVERIES_TABLE);

const eventBodies = (environment: Needs<"EVENTS_BUCKET">, overrides: Overrides): EventBodies =>
  s3EventBodies(
    new S3Client({ forcePathStyle: overrides.forcePathStyle === true }),
    environment.EVENTS_BUCKET,
  );

const policyOf = (overrides: Overrides): AddressPolicy =>
  addressPolicy({ allowLoopback: overrides.allowLoopback === true });

/** What registering a webhook endpoint needs. */
export const endpointRegistration = (
  environment: Needs<"DELIVERIES_TABLE" | "SECRETS_KEY_ID">,
  overrides: Overrides,
): CreateEndpointDependencies => ({
  endpoints: endpoints(environment),
  secrets: secrets(environment),
  resolver: hostResolver(),
  policy: policyOf(overrides),
  chance,
});

/** What setting up an S3 destination needs. */
export const destinationSetup = (
  environment: Needs<"DELIVERIES_TABLE" | "SECRETS_KEY_ID">,
  overrides: Overrides,
): PutDestinationDependencies => ({
  destinations: dynamoDestinationStore(dynamo(), environment.DELIVERIES_TABLE),
  buckets: s3CustomerBuckets({ policy: policyOf(overrides) }),
  secrets: secrets(environment),
  resolver: hostResolver(),
  policy: policyOf(overrides),
});

/** What takes over the events of a finished run. */
export const publisher = (
  environment: Needs<"DELIVERIES_TABLE" | "EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
): RunEventPublisher =>
  runEventPublisher({
    endpoints: endpoints(environment),
    bodies: eventBodies(environment, overrides),
    feed: dynamoEventFeed(dynamo(), environment.DELIVERIES_TABLE),
    jobs: dynamoRunJobStore(dynamo(), environment.DELIVERIES_TABLE),
    exports: runExports({
      destinations: dynamoDestinationStore(dynamo(), environment.DELIVERIES_TABLE),
      exportJobs: dynamoExportJobStore(dynamo(), environment.DELIVERIES_TABLE),
      clock,
    }),
    queue: deliveryQueue(environment),
    clock,
  });

/** What delivering webhooks and exports needs. */
export const delivery = (
  environment: Needs<
    "DELIVERIES_TABLE" | "EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID"
  >,
  overrides: Overrides,
): DeliverRunDependencies & ExportRunDependencies => {
  const policy = policyOf(overrides);
  return {
    endpoints: endpoints(environment),
    deliveries: dynamoDeliveryStore(dynamo(), environment.DELIVERIES_TABLE),
    jobs: dynamoRunJobStore(dynamo(), environment.DELIVERIES_TABLE),
    exportJobs: dynamoExportJobStore(dynamo(), environment.DELIVERIES_TABLE),
    destinations: dynamoDestinationStore(dynamo(), environment.DELIVERIES_TABLE),
    buckets: s3CustomerBuckets({ policy }),
    bodies: eventBodies(environment, overrides),
    secrets: secrets(environment),
    sender: webhookSender({ policy, clock }),
    queue: deliveryQueue(environment),
    clock,
    chance,
  };
};

/** Postpones a message of a queue: it comes again after so many seconds. */
export const postpone =
  (queueUrl: string) =>
  async (receiptHandle: string, seconds: number): Promise<void> => {
    await sqs().send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
  };

/** The source behind each scraper, as SOURCES says. */
export const scrapers = (environment: Needs<"SOURCES">): ((scraper: ScraperId) => Scraper) =>
  scraperFor(parseSources(environment.SOURCES), { clock, chance });

/** The source of offers, and of offer checks, as SOURCES says. */
export const offerSources = (environment: Needs<"SOURCES">): OfferSources =>
  makeOfferSources(parseSources(environment.SOURCES), { clock, chance });
