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
 * Returns a handler that calls `create` at its first invocation, and passes every invocation to the
 * created handler. The import of a handler therefore needs no environment variables.
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

/** Returns read-only access to webhook endpoints. `endpointStore` also changes them. */
export const endpoints = (environment: DeliveriesNeeds, overrides: Overrides): EndpointLookup =>
  dynamoEndpoints(dynamo(overrides), deliveriesTable(environment, overrides));

/** Returns the reader of delivery targets that are due. */
export const dueTargets = (environment: DeliveriesNeeds, overrides: Overrides): DueTargets =>
  dynamoDueTargets(dynamo(overrides), environment.DELIVERIES_TABLE);

/** Returns the options of a store in the deliveries table. */
export const deliveriesTable = (environment: DeliveriesNeeds, overrides: Overrides) => ({
  tableName: environment.DELIVERIES_TABLE,
  ...timeAndRandom(overrides),
});

/** Returns the port that adds entries to outboxes. */
export const outbox = (environment: DeliveriesNeeds, overrides: Overrides): Outbox =>
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

/** Returns the store of the export log. */
export const exportLog = (environment: DeliveriesNeeds, overrides: Overrides) =>
  dynamoExportStore(dynamo(overrides), environment.DELIVERIES_TABLE);

/**
 * Returns the sender of webhooks. It refuses addresses that are not public, unless the overrides
 * allow loopback.
 */
export const sender = (overrides: Overrides): Sender =>
  overrides.sender ??
  webhookSender({ policy: addressPolicyOf(overrides), clock: clock(overrides) });

/** Returns true if the deployment has an event bus. */
export const hasBus = ({ EVENT_BUS_NAME: name }: Needs<"EVENT_BUS_NAME">): boolean =>
  name !== "none";
