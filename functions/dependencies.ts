/**
 * The composition root: which adapter stands behind which port. Each function composes only what it
 * needs from these, so that its bundle holds only the clients it uses.
 */
import type { Logger } from "@aws-lambda-powertools/logger";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "../shared/accounts/account-store.ts";
import type { ApiKeyStore } from "../shared/accounts/api-key-store.ts";
import type { UsageStore } from "../shared/accounts/usage-store.ts";
import { dynamoAccountStore } from "../shared/aws/account-store.ts";
import { dynamoApiKeyStore } from "../shared/aws/api-key-store.ts";
import { dynamoCreditHistory } from "../shared/aws/credit-history.ts";
import { checkTimes, s3CustomerBuckets } from "../shared/aws/customer-bucket.ts";
import { deliveryWrite, dynamoDeliveryStore } from "../shared/aws/delivery-store.ts";
import { dynamoDestinationStore } from "../shared/aws/destination-store.ts";
import { dynamoDueTargets } from "../shared/aws/due-targets.ts";
import { documentClient } from "../shared/aws/dynamo.ts";
import { dynamoEndpoints, dynamoEndpointStore } from "../shared/aws/endpoint-store.ts";
import { s3EventBodies } from "../shared/aws/event-bodies.ts";
import { dynamoEventFeed } from "../shared/aws/event-feed.ts";
import { dynamoExportStore, exportWrite } from "../shared/aws/export-store.ts";
import { hostResolver } from "../shared/aws/host-resolver.ts";
import { dynamoIdempotencyStore } from "../shared/aws/idempotency-store.ts";
import { dynamoLedger } from "../shared/aws/ledger.ts";
import { dynamoOutbox } from "../shared/aws/outbox.ts";
import { sqsOutboxQueue } from "../shared/aws/outbox-queue.ts";
import { dynamoOutboxStore } from "../shared/aws/outbox-store.ts";
import type { Write } from "../shared/aws/outbox-writes.ts";
import { dynamoPageStore } from "../shared/aws/page-store.ts";
import { dynamoPurgeStore } from "../shared/aws/purge-store.ts";
import { keptRoleCredentials, stsRoleCredentials } from "../shared/aws/role-credentials.ts";
import { sqsRunQueue } from "../shared/aws/run-queue.ts";
import { dynamoRunStore } from "../shared/aws/run-store.ts";
import { eventBridgeSchedules } from "../shared/aws/schedules.ts";
import { kmsSecretBox } from "../shared/aws/secret-box.ts";
import { serviceLogger } from "../shared/aws/service-logger.ts";
import { dynamoStepStore } from "../shared/aws/step-store.ts";
import { dynamoUsageStore } from "../shared/aws/usage-store.ts";
import { dynamoWatchlistStore } from "../shared/aws/watchlist-store.ts";
import { webhookSender } from "../shared/aws/webhook-sender.ts";
import { figures } from "../shared/base/figures.ts";
import type { Warn } from "../shared/base/hint.ts";
import type { SecretBox } from "../shared/base/secret-box.ts";
import { systemChance, systemClock } from "../shared/base/system.ts";
import { tell } from "../shared/base/work-log.ts";
import type { CreditHistory } from "../shared/credits/credit-history.ts";
import type { Ledger } from "../shared/credits/ledger.ts";
import { exportSessions } from "../shared/exports/export-session.ts";
import { runExports } from "../shared/exports/run-exports.ts";
import type { EventBodies } from "../shared/events/event-archive.ts";
import type { EventFeed } from "../shared/events/event-feed.ts";
import type { FeedSources } from "../shared/events/feed-start.ts";
import type { RunEventPublisher } from "../shared/events/publisher.ts";
import type { DueTargets, Outbox, OutboxQueue, OutboxStore } from "../shared/outbox/outbox.ts";
import { type AddressPolicy, addressPolicy } from "../shared/outgoing/address-policy.ts";
import type { RunQueue } from "../shared/runs/run-queue.ts";
import type { RunStore } from "../shared/runs/run-store.ts";
import type { StepStore } from "../shared/runs/step-store.ts";
import type { IdempotencyStore } from "../shared/watchlists/idempotency.ts";
import type { PageStore } from "../shared/watchlists/page-store.ts";
import type { PurgeStore } from "../shared/watchlists/purge-store.ts";
import type { Schedules } from "../shared/watchlists/schedules.ts";
import type { WatchlistStore } from "../shared/watchlists/watchlist-store.ts";
import type { DeliveryStore } from "../shared/webhooks/delivery-store.ts";
import type { EndpointLookup } from "../shared/webhooks/endpoint-store.ts";
import { runEventPublisher } from "../shared/webhooks/publish.ts";
import { webhookSessions } from "../shared/webhooks/webhook-session.ts";
import type { FunctionName } from "./environment.ts";
import type { EdgeDependencies } from "./http/group-handler.ts";
import type { Overrides } from "./overrides.ts";

export const clock = systemClock;
export const chance = systemChance;

export type Needs<Name extends string> = Readonly<Record<Name, string>>;

/**
 * Makes a client once per process, when it is first needed. Its calls are marked pure, so that a
 * bundle leaves out the clients that its function does not use.
 */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export const dynamo: () => DynamoDBDocumentClient = /* @__PURE__ */ once(documentClient);
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
  serviceLogger({ stage: environment.STAGE, service: name });

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

export const endpoints = (environment: Needs<"DELIVERIES_TABLE">): EndpointLookup =>
  dynamoEndpoints(dynamo(), environment.DELIVERIES_TABLE);

export const secrets = (environment: Needs<"SECRETS_KEY_ID">): SecretBox =>
  kmsSecretBox(kms(), { keyId: environment.SECRETS_KEY_ID, clock });

export const outboxQueue = (environment: Needs<"DELIVERIES_QUEUE_URL">): OutboxQueue =>
  sqsOutboxQueue(sqs(), environment.DELIVERIES_QUEUE_URL);

export const dueTargets = (environment: Needs<"DELIVERIES_TABLE">): DueTargets =>
  dynamoDueTargets(dynamo(), environment.DELIVERIES_TABLE);

const deliveryRows = (environment: Needs<"DELIVERIES_TABLE">) => ({
  tableName: environment.DELIVERIES_TABLE,
  clock,
  chance,
});

/** An outbox together with the log of what it came to. */
const outboxOf = <LogRecord>(
  environment: Needs<"DELIVERIES_TABLE">,
  write: (table: string, accountId: string, record: LogRecord) => Write,
): OutboxStore<LogRecord> =>
  dynamoOutboxStore<LogRecord>(dynamo(), {
    ...deliveryRows(environment),
    recordWrite: (accountId, record) => write(environment.DELIVERIES_TABLE, accountId, record),
  });

/** For whoever owes something and works nothing off. */
const outbox = (environment: Needs<"DELIVERIES_TABLE">): Outbox =>
  dynamoOutbox(dynamo(), deliveryRows(environment));

const deliveries = (environment: Needs<"DELIVERIES_TABLE">): DeliveryStore =>
  dynamoDeliveryStore(dynamo(), deliveryRows(environment));

const eventFeed = (environment: Needs<"DELIVERIES_TABLE">): EventFeed =>
  dynamoEventFeed(dynamo(), deliveryRows(environment));

const eventBodies = (environment: Needs<"EVENTS_BUCKET">, overrides: Overrides): EventBodies =>
  s3EventBodies(
    new S3Client({ forcePathStyle: overrides.forcePathStyle === true }),
    environment.EVENTS_BUCKET,
  );

const policyOf = (overrides: Overrides): AddressPolicy =>
  addressPolicy({ allowLoopback: overrides.allowLoopback === true });

/** What keeping webhook endpoints and looking after their deliveries needs. */
export const endpointRegistration = (
  environment: Needs<"DELIVERIES_TABLE" | "DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID">,
  overrides: Overrides,
) => {
  const policy = policyOf(overrides);
  return {
    endpoints: dynamoEndpointStore(dynamo(), deliveryRows(environment)),
    deliveries: deliveries(environment),
    secrets: secrets(environment),
    sender: webhookSender({ policy, clock }),
    resolver: hostResolver(),
    policy,
    outbox: outbox(environment),
    queue: outboxQueue(environment),
    clock,
    chance,
  };
};

/** What keeping an S3 destination needs; it is checked within a call of the API. */
export const destinationSetup = (
  environment: Needs<"DELIVERIES_TABLE" | "DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID">,
  overrides: Overrides,
) => ({
  destinations: dynamoDestinationStore(dynamo(), environment.DELIVERIES_TABLE),
  exports: dynamoExportStore(dynamo(), environment.DELIVERIES_TABLE),
  buckets: s3CustomerBuckets({ policy: policyOf(overrides), times: checkTimes }),
  // Asked anew at each check: what was kept would hide a trust that is gone.
  roles: stsRoleCredentials(),
  secrets: secrets(environment),
  resolver: hostResolver(),
  policy: policyOf(overrides),
  outbox: outbox(environment),
  queue: outboxQueue(environment),
  clock,
  chance,
});

/** What the feed of events is read from. */
export const eventSources = (
  environment: Needs<"DELIVERIES_TABLE" | "EVENTS_BUCKET">,
  overrides: Overrides,
): FeedSources => ({
  feed: eventFeed(environment),
  bodies: eventBodies(environment, overrides),
});

/** What takes over the events of a finished run. */
export const publisher = (
  environment: Needs<"DELIVERIES_TABLE" | "EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
): RunEventPublisher =>
  runEventPublisher({
    endpoints: endpoints(environment),
    bodies: eventBodies(environment, overrides),
    feed: eventFeed(environment),
    outbox: outbox(environment),
    exports: runExports({
      destinations: dynamoDestinationStore(dynamo(), environment.DELIVERIES_TABLE),
    }),
    queue: outboxQueue(environment),
  });

/** What delivering webhooks and exports needs. */
export const delivery = (
  environment: Needs<
    "DELIVERIES_TABLE" | "EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID"
  >,
  overrides: Overrides,
) => {
  const policy = policyOf(overrides);
  const table = environment.DELIVERIES_TABLE;
  const shared = {
    bodies: eventBodies(environment, overrides),
    feed: eventFeed(environment),
    secrets: secrets(environment),
    queue: outboxQueue(environment),
    clock,
    chance,
    report: tell,
  };
  const open = webhookSessions({
    ...shared,
    endpoints: endpoints(environment),
    deliveries: deliveries(environment),
    sender: webhookSender({ policy, clock }),
  });
  const openExports = exportSessions({
    ...shared,
    destinations: dynamoDestinationStore(dynamo(), table),
    exports: dynamoExportStore(dynamo(), table),
    buckets: s3CustomerBuckets({ policy }),
    roles: keptRoleCredentials(stsRoleCredentials(), clock),
  });
  return {
    webhooks: {
      ...shared,
      open,
      outbox: outboxOf(environment, deliveryWrite),
      late: (milliseconds: number) =>
        tell([figures("deliveries", {}, { delivery_late_ms: milliseconds })]),
    },
    exports: {
      ...shared,
      open: openExports,
      outbox: outboxOf(environment, exportWrite),
      late: (milliseconds: number) =>
        tell([figures("exports", {}, { export_late_ms: milliseconds })]),
    },
  };
};
