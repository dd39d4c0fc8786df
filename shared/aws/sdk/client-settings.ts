import { StandardRetryStrategy } from "@smithy/core/retry";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { limits } from "../../base/limits.ts";
import { pausingWithinBudget, withinBudget } from "../../base/retry-budget.ts";

const { dependencies } = limits;

/** Timeouts and attempts of an AWS client. */
export interface ClientTimes {
  /** Milliseconds for connecting. @default limits.dependencies.connectMs */
  readonly connectMs?: number;
  /** Milliseconds for one attempt. @default limits.dependencies.attemptMs */
  readonly attemptMs?: number;
  /**
   * Maximum number of attempts for one request, including the first.
   * @default limits.dependencies.attemptsMax
   */
  readonly attemptsMax?: number;
}

/**
 * Returns the settings of every AWS client: the timeouts for connecting and for one attempt, and
 * the number of attempts. If the current work has a retry budget, attempts and pauses also end when
 * this budget is exhausted.
 */
export const clientSettings = ({
  connectMs = dependencies.connectMs,
  attemptMs = dependencies.attemptMs,
  attemptsMax = dependencies.attemptsMax,
}: ClientTimes = {}) => ({
  requestHandler: requestHandler(connectMs, attemptMs),
  retryStrategy: retryStrategy(attemptsMax),
});

function requestHandler(connectMs: number, attemptMs: number): NodeHttpHandler {
  const handler = new NodeHttpHandler({
    connectionTimeout: connectMs,
    requestTimeout: attemptMs,
    throwOnRequestTimeout: true,
    // `requestTimeout` ends when the response headers arrive. `socketTimeout` limits the time for
    // the body.
    socketTimeout: attemptMs,
  });
  const handle = handler.handle.bind(handler);
  handler.handle = (request, options) =>
    withinBudget(attemptMs, (requestTimeout) => handle(request, { ...options, requestTimeout }));
  return handler;
}

function retryStrategy(attemptsMax: number): StandardRetryStrategy {
  const strategy = new StandardRetryStrategy(attemptsMax);
  const pause = strategy.refreshRetryTokenForRetry.bind(strategy);
  strategy.refreshRetryTokenForRetry = (token, error) =>
    pausingWithinBudget(() => pause(token, error));
  return strategy;
}
