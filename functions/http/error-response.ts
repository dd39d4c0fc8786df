import type { APIGatewayProxyResult } from "aws-lambda";
import { isDependencyFailure } from "../../shared/base/dependency-failure.ts";
import {
  internal,
  isServiceError,
  notFound,
  type ServiceError,
  unavailable,
} from "../../shared/base/errors.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { type CallState, callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./middleware.ts";

/** Reads the balance of an account; undefined if there is no such account. */
export type ReadBalance = (accountId: string) => Promise<number | undefined>;

/**
 * Turns every error into a response. Registered last, so that it runs first. The error response of an item
 * call has the cost 0, unless the charge is unconfirmed, and the account's balance, unless the caller is
 * unknown or the error is a 503 without one.
 */
export function errorResponse(readBalance?: ReadBalance): HttpMiddleware {
  return {
    onError: async (request) => {
      const error = serviceErrorOf(request.error);
      const state = callStateOf(request.event);
      request.response = presentError(error, {
        isItemCall: state?.isItemCall === true,
        balance: error.details.balance ?? (await balanceFor(state, error, readBalance)),
      });
    },
  };
}

/** The balance for the error response of an item call. Not read for a 503, nor for an unknown caller. */
async function balanceFor(
  state: CallState | undefined,
  { status }: ServiceError,
  readBalance: ReadBalance | undefined,
): Promise<number | undefined> {
  if (state?.isItemCall !== true || readBalance === undefined || status === 503) return undefined;
  const accountId = state.caller?.accountId;
  if (accountId === undefined) return undefined;
  // A failed read must not replace the error: the response then has no balance.
  return withRetryBudget(state.retries, () => readBalance(accountId)).catch(() => undefined);
}

/**
 * The service error for a thrown value: UNAVAILABLE for the failure of a dependency, INTERNAL for any other
 * error that the service did not define. Their original messages are never part of a response.
 */
export function serviceErrorOf(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (isDependencyFailure(error)) return unavailable();
  const status = (error as { statusCode?: number } | null)?.statusCode;
  return status === 404 ? notFound("This endpoint") : internal();
}

function presentError(
  error: ServiceError,
  { isItemCall, balance }: { readonly isItemCall: boolean; readonly balance: number | undefined },
): APIGatewayProxyResult {
  const { param, comingSoon, retryAfterSeconds, allow, isUnconfirmed = false } = error.details;
  return {
    statusCode: error.status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
      ...(allow === undefined ? {} : { Allow: allow.join(", ") }),
      ...(isItemCall && !isUnconfirmed ? { "X-Service-Credits": "0" } : {}),
      ...(balance === undefined ? {} : { "X-Service-Balance": String(balance) }),
    },
    body: JSON.stringify({
      error: {
        code: error.code,
        message: error.message,
        ...(param === undefined ? {} : { param }),
        docs: `/docs/errors#${error.code}`,
      },
      ...(comingSoon === true ? { coming_soon: true } : {}),
    }),
  };
}
