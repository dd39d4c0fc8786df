/** Creates the dependencies of the middleware, and of the responses, of an API group. */
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { keyAdmission } from "../../shared/aws/accounts/key-admission.ts";
import type { FunctionName, Needs } from "../environment.ts";
import type { MiddlewareDependencies } from "../http/group-handler.ts";
import { type Overrides, random, timeAndRandom } from "./overrides.ts";
import { dynamo, logger } from "./process.ts";

/**
 * Creates the middleware dependencies of a route group that ignores API keys.
 * @param name the Lambda function, for its log
 * @param overrides replacements of dependencies, for tests and the local world
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
 * @param overrides replacements of dependencies, for tests and the local world
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
 * Creates the middleware dependencies of a route group that requires API keys: the clock, the
 * random source, the logger, and the store of accounts, which also admits calls by their keys.
 * @param name the Lambda function, for its log
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const keyMiddleware = (
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
 * Returns the maximum size of a response in bytes. Lambda limits buffered responses to 6 MB.
 * Returns undefined for streamed responses, which have no limit.
 */
export const answerBytesMax = (environment: Needs<"RESPONSE_MODE">): number | undefined =>
  environment.RESPONSE_MODE === "stream" ? undefined : 6_000_000;
