/**
 * The composition root: each function in this file creates the adapter for one port, or the
 * dependencies of one group. A Lambda function calls only the functions that it needs, so that its
 * bundle contains only the clients that it uses.
 */
import type { Logger } from "@aws-lambda-powertools/logger";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import type { DailyBudgetStore } from "../../shared/accounts/daily-budget-store.ts";
import type { UsageStore } from "../../shared/accounts/usage-store.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoDailyBudgetStore } from "../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { sqsBacktestQueue } from "../../shared/aws/queues/backtest-queue.ts";
import { sqsCancelQueue } from "../../shared/aws/queues/cancel-queue.ts";
import { dynamoCreditHistory } from "../../shared/aws/ledger/credit-history.ts";
import { checkTimes, s3CustomerBuckets } from "../../shared/aws/exports/customer-bucket.ts";
import { dynamoDeliveryStore } from "../../shared/aws/deliveries/delivery-store.ts";
import { dynamoDestinationStore } from "../../shared/aws/exports/destination-store.ts";
import { dynamoDueTargets } from "../../shared/aws/deliveries/due-targets.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import {
  dynamoEndpoints,
  dynamoEndpointStore,
} from "../../shared/aws/deliveries/endpoint-store.ts";
import { s3EventBodies } from "../../shared/aws/deliveries/event-bodies.ts";
import { dynamoEventFeed } from "../../shared/aws/deliveries/event-feed.ts";
import { dynamoExportStore } from "../../shared/aws/exports/export-store.ts";
import { hostResolver } from "../../shared/outgoing/host-resolver.ts";
import { ledgerMetrics } from "../../shared/aws/ledger/metrics.ts";
import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { dynamoOutbox } from "../../shared/aws/deliveries/outbox.ts";
import { sqsOutboxQueue } from "../../shared/aws/queues/outbox-queue.ts";
import { dynamoProbeCounter } from "../../shared/aws/deliveries/probe-counter.ts";
import { dynamoPendingWork } from "../../shared/aws/deliveries/pending-work.ts";
import { stsRoleCredentials } from "../../shared/aws/exports/role-credentials.ts";
import { eventBridgeSchedules } from "../../shared/aws/watchlists/schedules.ts";
import { accountsTableCheck } from "../../shared/aws/accounts/table-check.ts";
import { keyAdmission } from "../../shared/aws/accounts/key-admission.ts";
import { kmsSecretBox } from "../../shared/aws/deliveries/secret-box.ts";
import { serviceLogger } from "../../shared/observability/service-logger.ts";
import { dynamoTargetStates } from "../../shared/aws/deliveries/target-states.ts";
import { dynamoUsageStore } from "../../shared/aws/accounts/usage-store.ts";
import { webhookSender } from "../../shared/outgoing/webhook-sender.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import type { Warn } from "../../shared/base/best-effort.ts";
import type { SecretBox } from "../../shared/base/secret-box.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { recordMetrics } from "../../shared/observability/work-log.ts";
import type { BacktestQueue } from "../../shared/backtest/backtest-queue.ts";
import type { CancelQueue } from "../../shared/credits/cancel-queue.ts";
import type { CreditHistory } from "../../shared/credits/credit-history.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import type { EventBodies } from "../../shared/events/event-archive.ts";
import type { EventFeed } from "../../shared/events/event-feed.ts";
import type { FeedSources } from "../../shared/events/feed-start.ts";
import type { RunEventPublisher } from "../../shared/events/publisher.ts";
import type { DueTargets, Outbox, OutboxQueue, PendingWork } from "../../shared/outbox/outbox.ts";
import { type AddressPolicy, addressPolicy } from "../../shared/outgoing/address-policy.ts";
import type { Schedules } from "../../shared/watchlists/schedules.ts";
import type { DeliveryStore } from "../../shared/webhooks/delivery-store.ts";
import type { EndpointLookup } from "../../shared/webhooks/endpoint-store.ts";
import { runEventPublisher } from "../../shared/publishing/publish-run.ts";
import type { Sender } from "../../shared/outgoing/sender.ts";
import { client, kms, once, s3, scheduler, sqs } from "./clients.ts";
import type { FunctionName } from "../environment.ts";
import type { MiddlewareDependencies } from "../http/group-handler.ts";
import type { Overrides } from "./overrides.ts";
import { configuredVersions } from "./written-versions.ts";

export type Needs<Name extends string> = Readonly<Record<Name, string>>;
type AccountNeeds = Needs<"ACCOUNTS_TABLE">;
export type DeliveriesNeeds = Needs<"DELIVERIES_TABLE">;
export type DeliveryTargetNeeds = DeliveriesNeeds &
  Needs<"DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID">;

export const dynamo = /* @__PURE__ */ client("dynamo", () => documentClient(configuredVersions()));

/** Returns the clock of the overrides, or else the clock of the system. */
export const clock = (overrides: Overrides): Clock => overrides.clock ?? systemClock;
/** Returns the random source of the overrides, or else the random source of the system. */
export const random = (overrides: Overrides): RandomSource => overrides.random ?? systemRandom;
/** Returns the clock and the random source as an object, for functions that need both. */
export const timeAndRandom = (overrides: Overrides) => ({
  clock: clock(overrides),
  random: random(overrides),
});

/**
 * Returns a handler that calls `create` at its first invocation, and passes every invocation to the
 * created handler. Importing the module therefore reads no environment variables.
 */
export function onFirstCall<Arguments extends unknown[], Result>(
  create: () => (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  const handler = once(create);
  return (...args) => handler()(...args);
}

/** Creates the logger of a Lambda function, with the stage and the name of the function. */
export const logger = (environment: Needs<"STAGE">, name: FunctionName): Logger =>
  serviceLogger({ stage: environment.STAGE, service: name });

/**
 * Returns a function that logs a warning with the error that caused it. A thrown value that is not
 * an Error is logged as an Error with the value as its message.
 */
export const warnTo =
  (to: Logger): Warn =>
  (message, error) => {
    to.warn(message, error instanceof Error ? error : new Error(String(error)));
  };

/** Returns the middleware dependencies of a route group that ignores API keys. */
export const keylessMiddleware = (
  environment: Needs<"STAGE">,
  name: FunctionName,
  overrides: Overrides,
): MiddlewareDependencies => ({
  accounts: { admit: async () => ({ outcome: "unknown" }) },
  ...timeAndRandom(overrides),
  logger: logger(environment, name),
});

/**
 * Returns the middleware dependencies of a route group that serves public documents. The middleware
 * counts the calls of each API key, but reads no accounts.
 */
export const countingMiddleware = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE">,
  name: FunctionName,
  overrides: Overrides,
): MiddlewareDependencies => ({
  ...keylessMiddleware(environment, name, overrides),
  accounts: {
    admit: keyAdmission(dynamo(overrides), environment.ACCOUNTS_TABLE, random(overrides)),
  },
});

/** Returns a check that rejects if DynamoDB does not respond. */
export const databaseCheck = (environment: AccountNeeds, overrides: Overrides) =>
  accountsTableCheck(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Returns what the middleware of a route group that requires API keys needs: the stores of accounts
 * and keys, the clock and the logger.
 */
export const middleware = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE">,
  name: FunctionName,
  overrides: Overrides,
): MiddlewareDependencies & { readonly accounts: AccountStore } => ({
  ...keylessMiddleware(environment, name, overrides),
  accounts: dynamoAccountStore(
    dynamo(overrides),
    { accounts: environment.ACCOUNTS_TABLE },
    timeAndRandom(overrides),
  ),
});

/** Returns the ledger. It records the metrics of each reservation and settlement. */
export const ledger = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE" | "LEDGER_TABLE">,
  name: FunctionName,
  overrides: Overrides,
): Ledger => {
  const log = logger(environment, name);
  return dynamoLedger(dynamo(overrides), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ledgerTable: environment.LEDGER_TABLE,
    ...timeAndRandom(overrides),
    report: ledgerMetrics(recordMetrics),
    warn: (message) => log.warn(message),
  });
};

/** Returns the queue of messages that cancel the holds of calls. */
export const cancelQueue = (
  environment: Needs<"RUNS_QUEUE_URL">,
  overrides: Overrides,
): CancelQueue => sqsCancelQueue(sqs(overrides), environment.RUNS_QUEUE_URL);

/** Returns the queue of back-tests that are too large for a call. */
export const backtestQueue = (
  environment: Needs<"BACKTESTS_QUEUE_URL">,
  overrides: Overrides,
): BacktestQueue => sqsBacktestQueue(sqs(overrides), environment.BACKTESTS_QUEUE_URL);

/** Returns the store of API keys. */
export const apiKeys = (environment: AccountNeeds, overrides: Overrides): ApiKeyStore =>
  dynamoApiKeyStore(dynamo(overrides), environment.ACCOUNTS_TABLE);

/** Returns the reader of the daily usage of accounts. */
export const usageStore = (environment: AccountNeeds, overrides: Overrides): UsageStore =>
  dynamoUsageStore(dynamo(overrides), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ...timeAndRandom(overrides),
  });

/** Returns the store of the daily budgets of accounts. */
export const dailyBudgets = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE" | "LEDGER_TABLE">,
  overrides: Overrides,
): DailyBudgetStore =>
  dynamoDailyBudgetStore(dynamo(overrides), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ledgerTable: environment.LEDGER_TABLE,
    usage: usageStore(environment, overrides),
    ...timeAndRandom(overrides),
  });

/** Returns the reader of the ledger entries of accounts. */
export const creditHistory = (
  environment: Needs<"ACCOUNTS_TABLE" | "LEDGER_TABLE">,
  overrides: Overrides,
): CreditHistory =>
  dynamoCreditHistory(dynamo(overrides), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ledgerTable: environment.LEDGER_TABLE,
    ...timeAndRandom(overrides),
  });

/**
 * Returns the maximum size of a response in bytes; undefined for streamed responses, which the
 * service does not limit. Lambda limits buffered responses to 6 MB.
 */
export const answerBytesMax = (environment: Needs<"RESPONSE_MODE">): number | undefined =>
  environment.RESPONSE_MODE === "stream" ? undefined : 6_000_000;

/** Returns the EventBridge schedules of watchlists. */
export const schedules = (
  environment: Needs<"SCHEDULE_GROUP" | "RUNS_QUEUE_URL" | "SCHEDULE_ROLE_ARN">,
  overrides: Overrides,
): Schedules =>
  eventBridgeSchedules(scheduler(overrides), {
    group: environment.SCHEDULE_GROUP,
    queueUrl: environment.RUNS_QUEUE_URL,
    roleArn: environment.SCHEDULE_ROLE_ARN,
  });

/** Returns read-only access to webhook endpoints. `endpointStore` also changes them. */
export const endpoints = (environment: DeliveriesNeeds, overrides: Overrides): EndpointLookup =>
  dynamoEndpoints(dynamo(overrides), deliveriesTable(environment, overrides));

/** Returns the encryption of the secrets of customers by KMS. */
export const secretBox = (environment: Needs<"SECRETS_KEY_ID">, overrides: Overrides): SecretBox =>
  kmsSecretBox(kms(overrides), { keyId: environment.SECRETS_KEY_ID, clock: clock(overrides) });

/** Returns the queue of wake-up messages for delivery targets. */
export const outboxQueue = (
  environment: Needs<"DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
): OutboxQueue => sqsOutboxQueue(sqs(overrides), environment.DELIVERIES_QUEUE_URL);

/** Returns the reader of delivery targets that are due. */
export const dueTargets = (environment: DeliveriesNeeds, overrides: Overrides): DueTargets =>
  dynamoDueTargets(dynamo(overrides), environment.DELIVERIES_TABLE);

/** Returns the options of a store in the deliveries table. */
export const deliveriesTable = (environment: DeliveriesNeeds, overrides: Overrides) => ({
  tableName: environment.DELIVERIES_TABLE,
  ...timeAndRandom(overrides),
});

/** Returns the port that adds entries to outboxes. */
const outbox = (environment: DeliveriesNeeds, overrides: Overrides): Outbox =>
  dynamoOutbox(dynamo(overrides), deliveriesTable(environment, overrides));

/** Returns the store of the delivery log. */
export const deliveries = (environment: DeliveriesNeeds, overrides: Overrides): DeliveryStore =>
  dynamoDeliveryStore(dynamo(overrides), deliveriesTable(environment, overrides));

/** Returns the store that reads and changes webhook endpoints. */
export const endpointStore = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoEndpointStore(dynamo(overrides), deliveriesTable(environment, overrides));

/** Returns the store of S3 destinations. */
export const destinations = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoDestinationStore(dynamo(overrides), environment.DELIVERIES_TABLE);

const pendingWork = (environment: DeliveriesNeeds, overrides: Overrides): PendingWork =>
  dynamoPendingWork(dynamo(overrides), environment.DELIVERIES_TABLE);

/** Returns the store of the export log. */
export const exportLog = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoExportStore(dynamo(overrides), environment.DELIVERIES_TABLE);

const eventFeed = (environment: DeliveriesNeeds, overrides: Overrides): EventFeed =>
  dynamoEventFeed(dynamo(overrides), deliveriesTable(environment, overrides));

export const eventBodies = (
  environment: Needs<"EVENTS_BUCKET">,
  overrides: Overrides,
): EventBodies => s3EventBodies(s3(overrides), environment.EVENTS_BUCKET, configuredVersions());

/** Returns the rules for the addresses to which webhooks and exports may connect. */
export const addressPolicyOf = (overrides: Overrides): AddressPolicy =>
  addressPolicy({ allowLoopback: overrides.allowLoopback === true });

/**
 * Returns the sender of webhooks. It refuses addresses that are not public, unless the overrides
 * allow loopback.
 */
export const sender = (overrides: Overrides): Sender =>
  overrides.sender ??
  webhookSender({ policy: addressPolicyOf(overrides), clock: clock(overrides) });

/**
 * Returns the dependencies of the routes that change a delivery target: a webhook endpoint or an S3
 * destination.
 */
const deliveryTargetDependencies = (environment: DeliveryTargetNeeds, overrides: Overrides) => ({
  secrets: secretBox(environment, overrides),
  resolver: overrides.resolver ?? hostResolver(),
  policy: addressPolicyOf(overrides),
  probes: dynamoProbeCounter(dynamo(overrides), deliveriesTable(environment, overrides)),
  outbox: outbox(environment, overrides),
  queue: outboxQueue(environment, overrides),
  ...timeAndRandom(overrides),
});

/** Returns the dependencies of the routes for webhook endpoints and deliveries. */
export const endpointDependencies = (
  environment: DeliveryTargetNeeds & Needs<"EVENTS_BUCKET">,
  overrides: Overrides,
) => ({
  ...deliveryTargetDependencies(environment, overrides),
  pending: pendingWork(environment, overrides),
  bodies: eventBodies(environment, overrides),
  endpoints: endpointStore(environment, overrides),
  states: dynamoTargetStates(dynamo(overrides), environment.DELIVERIES_TABLE),
  deliveries: deliveries(environment, overrides),
  sender: sender(overrides),
});

/**
 * Returns the dependencies of the calls of `/v1/s3_destination`. Their time limits are short,
 * because a call checks the bucket while the client waits.
 */
export const destinationDependencies = (
  environment: DeliveryTargetNeeds,
  overrides: Overrides,
) => ({
  ...deliveryTargetDependencies(environment, overrides),
  destinations: destinations(environment, overrides),
  exports: exportLog(environment, overrides),
  pending: pendingWork(environment, overrides),
  buckets:
    overrides.buckets ??
    s3CustomerBuckets({ policy: addressPolicyOf(overrides), times: checkTimes }),
  // The credentials are not cached, because cached credentials would still work after the customer
  // has removed the service from the role's trust policy.
  roles: overrides.roles ?? stsRoleCredentials(),
});

/** Returns the event feed and the event bodies. */
export const feedSources = (
  environment: Needs<"DELIVERIES_TABLE" | "EVENTS_BUCKET">,
  overrides: Overrides,
): FeedSources => ({
  feed: eventFeed(environment, overrides),
  bodies: eventBodies(environment, overrides),
});

/** Returns the dependencies of the calls of `/v1/events`. */
export const eventDependencies = (
  environment: DeliveriesNeeds & Needs<"EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL">,
  overrides: Overrides,
) => ({
  ...feedSources(environment, overrides),
  endpoints: endpoints(environment, overrides),
  deliveries: deliveries(environment, overrides),
  queue: outboxQueue(environment, overrides),
});

/** Returns true if the deployment has an event bus. */
export const hasBus = ({ EVENT_BUS_NAME: name }: Needs<"EVENT_BUS_NAME">): boolean =>
  name !== "none";

/** Returns the publisher of the events of a finished run. */
export const publisher = (
  environment: Needs<
    "DELIVERIES_TABLE" | "EVENTS_BUCKET" | "DELIVERIES_QUEUE_URL" | "EVENT_BUS_NAME"
  >,
  overrides: Overrides,
): RunEventPublisher =>
  runEventPublisher({
    ...feedSources(environment, overrides),
    endpoints: endpoints(environment, overrides),
    outbox: outbox(environment, overrides),
    destinations: destinations(environment, overrides),
    queue: outboxQueue(environment, overrides),
    hasBus: hasBus(environment),
  });
