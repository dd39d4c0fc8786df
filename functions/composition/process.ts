/** What each Lambda process creates: the DynamoDB client, the logger and the handler. */
import type { Logger } from "@aws-lambda-powertools/logger";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import type { Warn } from "../../shared/base/best-effort.ts";
import { serviceLogger } from "../../shared/observability/service-logger.ts";
import type { FunctionName, Needs } from "../environment.ts";
import { client, once } from "./clients.ts";
import { configuredVersions } from "./written-versions.ts";

/** Returns the DynamoDB client of the overrides, or otherwise the client of the process. */
export const dynamo = /* @__PURE__ */ client("dynamo", () => documentClient(configuredVersions()));

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
