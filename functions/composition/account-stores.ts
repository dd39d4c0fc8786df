/** Creates the stores in the tables of accounts and of the ledger. */
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import type { DailyBudgetStore } from "../../shared/accounts/daily-budget-store.ts";
import type { UsageStore } from "../../shared/accounts/usage-store.ts";
import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { dynamoDailyBudgetStore } from "../../shared/aws/accounts/daily-budget-store.ts";
import { accountsTableCheck } from "../../shared/aws/accounts/table-check.ts";
import { dynamoUsageStore } from "../../shared/aws/accounts/usage-store.ts";
import { dynamoCreditHistory } from "../../shared/aws/ledger/credit-history.ts";
import type { CreditHistory } from "../../shared/credits/credit-history.ts";
import type { Needs } from "../environment.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";
import { dynamo } from "./process.ts";

type AccountNeeds = Needs<"ACCOUNTS_TABLE">;

/**
 * Creates a function that reads the accounts table as a health check. The function rejects if
 * DynamoDB does not respond.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const databaseCheck = (environment: AccountNeeds, overrides: Overrides) =>
  accountsTableCheck(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Creates the store of API keys in the accounts table.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const apiKeys = (environment: AccountNeeds, overrides: Overrides): ApiKeyStore =>
  dynamoApiKeyStore(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Creates the reader of the daily usage of accounts.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const usageStore = (environment: AccountNeeds, overrides: Overrides): UsageStore =>
  dynamoUsageStore(dynamo(overrides), {
    accountsTable: environment.ACCOUNTS_TABLE,
    ...timeAndRandom(overrides),
  });

/**
 * Creates the store of the daily budgets of accounts.
 * @param overrides replacements of dependencies, for tests and the local world
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
 * @param overrides replacements of dependencies, for tests and the local world
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
