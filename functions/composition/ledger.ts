import { dynamoLedger } from "../../shared/aws/ledger/ledger.ts";
import { ledgerMetrics } from "../../shared/aws/ledger/metrics.ts";
import type { Ledger } from "../../shared/credits/ledger.ts";
import { recordMetrics } from "../../shared/observability/work-log.ts";
import type { FunctionName, Needs } from "../environment.ts";
import { dynamo, logger } from "./process.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";

/**
 * Creates the ledger in DynamoDB, which records the metrics of each reservation and settlement.
 * @param name the Lambda function, for its log
 * @param overrides replacements of dependencies, for tests and the local world
 */
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
