/** Creates the store of the health of sources. */
import { dynamoHealthStore } from "../../shared/aws/sources/health-store.ts";
import type { HealthStore } from "../../shared/source-health/health-store.ts";
import { healthReader } from "../../shared/source-health/read-health.ts";
import { dynamo, logger, warnTo } from "./process.ts";
import type { FunctionName, Needs } from "../environment.ts";
import { clock, type Overrides } from "./overrides.ts";

/**
 * Milliseconds for which a process caches the health of the sources. Processes write health once a
 * minute, so more frequent reads would return the same health.
 */
const freshMs = 60_000;

/**
 * Creates the store of the health of sources in the accounts table.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const healthStore = (
  environment: Needs<"ACCOUNTS_TABLE">,
  overrides: Overrides,
): HealthStore => dynamoHealthStore(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Creates a reader of the health of all scrapers. The reader caches a result for a minute. If a
 * read fails, the reader logs a warning and returns an empty map.
 * @param functionName the Lambda function, for its log
 * @param spanMs length of the period before now, in milliseconds; only reads in this period count
 * @param overrides replacements of dependencies, for tests and the local world
 */
export const sourceHealth = (
  environment: Needs<"STAGE" | "ACCOUNTS_TABLE">,
  functionName: FunctionName,
  { spanMs, overrides }: { readonly spanMs: number; readonly overrides: Overrides },
) =>
  healthReader({
    store: healthStore(environment, overrides),
    spanMs,
    freshMs,
    clock: clock(overrides),
    warn: warnTo(logger(environment, functionName)),
  });
