/** Creates the sources. */
import { sharedRateBudget } from "../../shared/aws/sources/rate-budget.ts";
import { secretReader } from "../../shared/aws/sources/secret-reader.ts";
import { sourceMetrics } from "../../shared/sources/registry/metrics.ts";
import type { StepSources } from "../../shared/runs/read-step.ts";
import { agentProfilePath } from "../../shared/sources/storefront/agent-profile.ts";
import { tokensByKey } from "../../shared/sources/price-history/tokens.ts";
import { loadAdapters } from "../../shared/sources/registry/load-adapters.ts";
import { parseSources } from "../../shared/sources/registry/configuration.ts";
import { sourceStates } from "../../shared/sources/http/source-state.ts";
import { offerSources } from "../../shared/sources/registry/offer-sources.ts";
import { scraperFor } from "../../shared/sources/registry/scraper-sources.ts";
import type { SourceDependencies } from "../../shared/sources/registry/parts.ts";
import { healthRecorder } from "../../shared/source-health/record-health.ts";
import { once } from "./clients.ts";
import { healthStore } from "./source-health.ts";
import { dynamo, logger, warnTo } from "./process.ts";
import type { FunctionName, Needs } from "../environment.ts";
import { type Overrides, timeAndRandom } from "./overrides.ts";

export type SourceNeeds = Needs<"STAGE" | "ACCOUNTS_TABLE" | "SOURCES" | "API_URL">;

/** The stores of secrets. Their clients load at the first read of a secret. */
const secretsManager = /* @__PURE__ */ once(async () =>
  (await import("../../shared/aws/sources/secrets-manager.ts")).secretsManagerSecrets(),
);
const parameters = /* @__PURE__ */ once(async () =>
  (await import("../../shared/aws/sources/parameters.ts")).ssmParameters(),
);

/**
 * Loads the adapters of the configured sources. Functions that read a source in every invocation
 * call this before their first invocation: until then, Lambda does not limit the processor time of
 * a function with little memory. Does nothing if the variable is undefined, as in tests.
 * @param variable value of the environment variable SOURCES
 * @throws Error if the value is invalid
 */
export async function preloadSources(variable: string | undefined): Promise<void> {
  if (variable !== undefined) await loadAdapters(parseSources(variable, { allowVariables: true }));
}

/**
 * Creates the sources of products, offers and offer checks. Returns the sources in the overrides if
 * there are any, otherwise those that the environment variable SOURCES configures.
 * @param name the Lambda function whose log receives the metrics and warnings of the sources
 * @throws Error if SOURCES is invalid
 */
export function sources(
  environment: SourceNeeds,
  name: FunctionName,
  overrides: Overrides,
): StepSources {
  if (overrides.sources !== undefined) return overrides.sources;
  const allowVariables = overrides.secretVariables !== undefined;
  const configured = parseSources(environment.SOURCES, { allowVariables });
  const dependencies = sourceDependencies(environment, name, overrides);
  return {
    scraperFor: scraperFor(configured, dependencies),
    ...offerSources(configured, dependencies),
  };
}

/**
 * Returns the dependencies of all source adapters, such as the shared rate limit, the secrets and
 * the metrics.
 */
function sourceDependencies(
  environment: SourceNeeds,
  name: FunctionName,
  overrides: Overrides,
): SourceDependencies {
  const log = logger(environment, name);
  const time = timeAndRandom(overrides);
  return {
    ...time,
    budget: sharedRateBudget(dynamo(overrides), {
      table: environment.ACCOUNTS_TABLE,
      onUnshared: (error) =>
        warnTo(log)("shared rate limiter unavailable; using the local limit", error),
    }),
    states: sourceStates(),
    secrets: secretReader({
      secretsManager: async (arn) => (await secretsManager())(arn),
      parameters: async (parameter) => (await parameters())(parameter),
      ...(overrides.secretVariables && { variables: overrides.secretVariables }),
      clock: time.clock,
    }),
    tokens: tokensByKey(time.clock),
    agentProfileUrl: `${environment.API_URL}${agentProfilePath}`,
    report: sourceMetrics((message, line) => log.info(message, line)),
    recordHealth: healthRecorder({
      store: healthStore(environment, overrides),
      clock: time.clock,
      warn: warnTo(log),
    }),
    warn: (problem) => log.warn(problem),
  };
}
