import type { APIGatewayProxyResult } from "aws-lambda";
import { isDependencyFailure } from "../../shared/base/dependency-failure.ts";
import {
  internal,
  isServiceError,
  type ServiceError,
  unavailable,
  unknownEndpoint,
} from "../../shared/base/errors.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { type CallState, callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./middleware.ts";

/** Returns the credit balance of an account; undefined if the account does not exist. */
export type ReadBalance = (accountId: string) => Promise<number | undefined>;

/** Returns the body of the response to an error. */
export type ErrorBody = (error: ServiceError) => unknown;

interface ErrorResponseOptions {
  readonly readBalance?: ReadBalance | undefined;
  /**
   * Returns the body of the response to an error.
   * @default `errorBody`
   */
  readonly bodyOf?: ErrorBody | undefined;
}

/**
 * Creates the middleware that converts every error to a response. Register it last: error handlers
 * run in reverse order, and the handlers of the other middleware need the response. The error
 * response of an item call reports a cost of 0, or no cost if it is unknown whether the call was
 * charged. It also has the account's balance, if the error contains the balance or `readBalance`
 * can read it.
 */
export function errorResponse({
  readBalance,
  bodyOf = errorBody,
}: ErrorResponseOptions): HttpMiddleware {
  return {
    onError: async (request) => {
      const error = serviceErrorOf(request.error);
      const state = callStateOf(request.event);
      request.response = presentError(error, {
        isItemCall: state?.isItemCall === true,
        balance: error.details.balance ?? (await balanceFor(state, error, readBalance)),
        body: bodyOf(error),
      });
    },
  };
}

/**
 * Reads the caller's balance for the error response of an item call. Returns undefined for other
 * calls, for a 503, for an unknown caller, and if the balance cannot be read.
 */
async function balanceFor(
  state: CallState | undefined,
  { status }: ServiceError,
  readBalance: ReadBalance | undefined,
): Promise<number | undefined> {
  if (state?.isItemCall !== true || readBalance === undefined || status === 503) return undefined;
  const accountId = state.caller?.accountId;
  if (accountId === undefined) return undefined;
  // A failed read of the balance must not replace the original error.
  return withRetryBudget(state.retries, () => readBalance(accountId)).catch(() => undefined);
}

/**
 * Converts any thrown value to a service error. A service error is returned unchanged. A failure of
 * a dependency becomes UNAVAILABLE, a path without a route NOT_FOUND, and any other value INTERNAL.
 * The message of an unexpected error never reaches the response.
 */
export function serviceErrorOf(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (isDependencyFailure(error)) return unavailable();
  const status = (error as { statusCode?: number } | null)?.statusCode;
  return status === 404 ? unknownEndpoint() : internal();
}

/** Converts a service error to the response of the Lambda function. */
function presentError(
  error: ServiceError,
  {
    isItemCall,
    balance,
    body,
  }: {
    readonly isItemCall: boolean;
    readonly balance: number | undefined;
    readonly body: unknown;
  },
): APIGatewayProxyResult {
  const { retryAfterSeconds, allow, isUnconfirmed = false } = error.details;
  return {
    statusCode: error.status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
      ...(allow === undefined ? {} : { Allow: allow.join(", ") }),
      ...(isItemCall && !isUnconfirmed ? { "X-Service-Credits": "0" } : {}),
      ...(balance === undefined ? {} : { "X-Service-Balance": String(balance) }),
    },
    body: JSON.stringify(body),
  };
}

/**
 * Returns the body of an error response: the error object of the HTTP API, with the code, the
 * message, a link to the documentation and, if known, the parameter. The body of an error about an
 * announced feature also contains `coming_soon`.
 */
export function errorBody({ code, message, details: { param, comingSoon } }: ServiceError) {
  return {
    error: {
      code,
      message,
      ...(param === undefined ? {} : { param }),
      docs: `/docs/errors#${code}`,
    },
    ...(comingSoon === true ? { coming_soon: true } : {}),
  };
}
