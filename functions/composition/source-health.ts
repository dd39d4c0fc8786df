/** The composition root for the health of sources. */
import { dynamoHealthStore } from "../../shared/aws/sources/health-store.ts";
import type { HealthStore } from "../../shared/source-health/health-store.ts";
import { healthReader } from "../../shared/source-health/read-health.ts";
import { dynamo, logger, warnTo } from "./dependencies.ts";
import type { FunctionName, Needs } from "../environment.ts";
import { clock, type Overrides } from "./overrides.ts";

/** How long a process shows the same health, in milliseconds. Processes write it once a minute. */
const freshMs = 60_000;

/** Returns the store of the health of sources. */
export const healthStore = (
  environment: Needs<"ACCOUNTS_TABLE">,
  overrides: Overrides,
): HealthStore => dynamoHealthStore(dynamo(overrides), environment.ACCOUNTS_TABLE);

/**
 * Returns a cached reader of the health of all scrapers in the last `spanMs` milliseconds.
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
