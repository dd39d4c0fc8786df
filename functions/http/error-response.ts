import type { APIGatewayProxyResult } from "aws-lambda";
import { internal, isServiceError, notFound, type ServiceError } from "../../shared/base/errors.ts";
import { callStateOf } from "./call-state.ts";
import type { HttpMiddleware } from "./request-id.ts";

/** The only place where an error becomes a response. Registered last, so that it runs first. */
export function errorResponse(): HttpMiddleware {
  return {
    onError: (request) => {
      const error = serviceErrorOf(request.error);
      const isItemCall = callStateOf(request.event)?.isItemCall === true;
      request.response = presentError(error, isItemCall);
    },
  };
}

/** Anything that is not one of our own errors is INTERNAL; its text never leaves the service. */
function serviceErrorOf(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  const status = (error as { statusCode?: number } | null)?.statusCode;
  return status === 404 ? notFound("This endpoint") : internal();
}

function presentError(error: ServiceError, isItemCall: boolean): APIGatewayProxyResult {
  const { param, comingSoon, retryAfterSeconds, balance } = error.details;
  return {
    statusCode: error.status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
      ...(isItemCall ? { "X-Service-Credits": "0" } : {}),
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
