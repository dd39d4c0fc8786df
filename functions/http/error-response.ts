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

/** Reads what an account has left; for refusals that have not learned it. */
export type ReadBalance = (accountId: string) => Promise<number | undefined>;

/**
 * The only place where an error becomes a response. Registered last, so that it runs first. A
 * refusal of an item call says that it cost nothing, if that is known, and what the account has left.
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

/** Not asked for when the service itself is in trouble, nor for a caller that asks too often. */
async function balanceFor(
  state: CallState | undefined,
  { status }: ServiceError,
  readBalance: ReadBalance | undefined,
): Promise<number | undefined> {
  if (state?.isItemCall !== true || readBalance === undefined || status === 503) return undefined;
  const accountId = state.caller?.accountId;
  if (accountId === undefined) return undefined;
  // The refusal is what counts: it goes out with or without the balance.
  return withRetryBudget(state.retries, () => readBalance(accountId)).catch(() => undefined);
}

/**
 * The failure of a dependency is UNAVAILABLE, anything else that is not one of our own errors is
 * INTERNAL. The text of either never leaves the service.
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
