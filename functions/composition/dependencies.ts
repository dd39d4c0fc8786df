/**
 * The composition root: each function in this file creates the implementation of one port (an
 * interface of the service), or the dependencies of one route group. A Lambda function calls only
 * the functions that it needs, so that its bundle contains only the clients that it uses.
 */
import type { Logger } from "@aws-lambda-powertools/logger";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import type { DailyBudgetStore } from "../../shared/accounts/daily-budget-store.ts";
import type { UsageStore } from "../../shared/accounts/usage-store.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoDailyBudgetStore } from "../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { dynamoCreditHistory } from "../../shared/aws/ledger/credit-history.ts";
import { dynamoDeliveryStore } from "../../shared/aws/deliveries/delivery-store.ts";
import { dynamoDestinationStore } from "../../shared/aws/exports/destination-store.ts";
import { dynamoDueTargets } from "../../shared/aws/deliveries/due-targets.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import {
  dynamoEndpoints,
  dynamoEndpointStore,
} from "../../shared/aws/deliveries/endpoint-store.ts";
import { dynamoExportStore } from "../../shared/aws/exports/export-store.ts";
import { dynamoOutbox } from "../../shared/aws/deliveries/outbox.ts";
import { accountsTableCheck } from "../../shared/aws/accounts/table-check.ts";
import { keyAdmission } from "../../shared/aws/accounts/key-admission.ts";
import { serviceLogger } from "../../shared/observability/service-logger.ts";
import { dynamoUsageStore } from "../../shared/aws/accounts/usage-store.ts";
import { webhookSender } from "../../shared/outgoing/webhook-sender.ts";
import type { Warn } from "../../shared/base/best-effort.ts";
import type { CreditHistory } from "../../shared/credits/credit-history.ts";
import type { DueTargets, Outbox } from "../../shared/outbox/outbox.ts";
import type { DeliveryStore } from "../../shared/webhooks/delivery-store.ts";
import type { EndpointLookup } from "../../shared/webhooks/endpoint-store.ts";
import type { Sender } from "../../shared/outgoing/sender.ts";
import { client, once } from "./clients.ts";
import type { FunctionName, Needs } from "../environment.ts";
import type { MiddlewareDependencies } from "../http/group-handler.ts";
import { addressPolicyOf, clock, type Overrides, random, timeAndRandom } from "./overrides.ts";
import { configuredVersions } from "./written-versions.ts";

type AccountNeeds = Needs<"ACCOUNTS_TABLE">;
export type DeliveriesNeeds = Needs<"DELIVERIES_TABLE">;
export type DeliveryTargetNeeds = DeliveriesNeeds &
  Needs<"DELIVERIES_QUEUE_URL" | "SECRETS_KEY_ID">;

export const dynamo = /* @__PURE__ */ client("dynamo", () => documentClient(configuredVersions()));

export { clock, random, timeAndRandom };

/**
 * Creates a handler that calls `create` at its first invocation, and passes every invocation to the
 * handler that `create` returned. Importing a handler therefore needs no environment variables.
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
 * Creates a function that logs a warning with the error that caused it. A thrown value that is not
 * an Error is logged as an Error with the value as its message.
 */
export const warnTo =
  (to: Logger): Warn =>
  (message, error) => {
    to.warn(message, error instanceof Error ? error : new Error(String(error)));
  };

/**
 * Creates the middleware dependencies of a route group that ignores API keys.
 * @param name the Lambda function, for its log
 * @param overrides dependencies that tests replace
 */
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
 * Creates the middleware dependencies of a route group with public documents. The middleware counts
 * the calls of each API key, but reads no accounts.
 * @param name the Lambda function, for its log
 * @param overrides dependencies that tests replace
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

/**
 * Creates a function that reads the accounts table as a health check. The function rejects if
 * DynamoDB does not respond.
 * @param overrides dependencies that tests replace
 */
export const databaseCheck = (environment: AccountNeeds, overrides: Overrides) =>
  accountsTableCheck(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Creates the middleware dependencies of a route group that requires API keys: the clock, the
 * random source, the logger, and the store of accounts, which also admits calls by their keys.
 * @param name the Lambda function, for its log
 * @param overrides dependencies that tests replace
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

/**
 * Creates the store of API keys in the accounts table.
 * @param overrides dependencies that tests replace
 */
export const apiKeys = (environment: AccountNeeds, overrides: Overrides): ApiKeyStore =>
  dynamoApiKeyStore(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Creates the reader of the daily usage of accounts.
 * @param overrides dependencies that tests replace
 */
export const usageStore = (environment: AccountNeeds, overrides: Overrides): UsageStore =>
  dynamoUsageStore(dynamo(overrides), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ...timeAndRandom(overrides),
  });

/**
 * Creates the store of the daily budgets of accounts.
 * @param overrides dependencies that tests replace
 */
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

/**
 * Creates the reader of the ledger entries of accounts.
 * @param overrides dependencies that tests replace
 */
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
 * Returns the maximum size of a response in bytes. Lambda limits buffered responses to 6 MB.
 * Returns undefined for streamed responses, which have no limit.
 */
export const answerBytesMax = (environment: Needs<"RESPONSE_MODE">): number | undefined =>
  environment.RESPONSE_MODE === "stream" ? undefined : 6_000_000;

/**
 * Creates a reader of webhook endpoints. `endpointStore` can also change them.
 * @param overrides dependencies that tests replace
 */
export const endpoints = (environment: DeliveriesNeeds, overrides: Overrides): EndpointLookup =>
  dynamoEndpoints(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the reader of delivery targets that are due.
 * @param overrides dependencies that tests replace
 */
export const dueTargets = (environment: DeliveriesNeeds, overrides: Overrides): DueTargets =>
  dynamoDueTargets(dynamo(overrides), environment.DELIVERIES_TABLE);

/**
 * Returns the options of a store in the deliveries table: its name, the clock and the random
 * source.
 * @param overrides dependencies that tests replace
 */
export const deliveriesTable = (environment: DeliveriesNeeds, overrides: Overrides) => ({
  tableName: environment.DELIVERIES_TABLE,
  ...timeAndRandom(overrides),
});

/**
 * Creates the port that adds entries to outboxes and makes delivery targets due.
 * @param overrides dependencies that tests replace
 */
export const outbox = (environment: DeliveriesNeeds, overrides: Overrides): Outbox =>
  dynamoOutbox(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store of the delivery log.
 * @param overrides dependencies that tests replace
 */
export const deliveries = (environment: DeliveriesNeeds, overrides: Overrides): DeliveryStore =>
  dynamoDeliveryStore(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store that reads and changes webhook endpoints.
 * @param overrides dependencies that tests replace
 */
export const endpointStore = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoEndpointStore(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store of S3 destinations.
 * @param overrides dependencies that tests replace
 */
export const destinations = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoDestinationStore(dynamo(overrides), deliveriesTable(environment, overrides));

/**
 * Creates the store of the export log.
 * @param overrides dependencies that tests replace
 */
export const exportLog = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoExportStore(dynamo(overrides), environment.DELIVERIES_TABLE);

/**
 * Returns the webhook sender of the overrides; creates one if the overrides have none. The created
 * sender connects only to public addresses, and to loopback addresses if the overrides allow them.
 */
export const sender = (overrides: Overrides): Sender =>
  overrides.sender ??
  webhookSender({ policy: addressPolicyOf(overrides), clock: clock(overrides) });

/**
 * Returns true if the deployment has an event bus: the environment variable EVENT_BUS_NAME is not
 * `none`.
 */
export const hasBus = ({ EVENT_BUS_NAME: name }: Needs<"EVENT_BUS_NAME">): boolean =>
  name !== "none";
