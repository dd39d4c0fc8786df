import type { APIGatewayProxyResult } from "aws-lambda";
import { internal, isServiceError, notFound, type ServiceError } from "../../shared/base/errors.ts";
import type { HttpMiddleware } from "./request-id.ts";

/** The only place where an error becomes a response. Registered last, so that it runs first. */
export function errorResponse(): HttpMiddleware {
  return {
    onError: (request) => {
      request.response = presentError(serviceErrorOf(request.error));
    },
  };
}

/** Anything that is not one of our own errors is INTERNAL; its text never leaves the service. */
function serviceErrorOf(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  const status = (error as { statusCode?: number } | null)?.statusCode;
  return status === 404 ? notFound("This endpoint") : internal();
}

function presentError(error: ServiceError): APIGatewayProxyResult {
  const { param, comingSoon, retryAfterSeconds } = error.details;
  return {
    statusCode: error.status,
    headers: retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) },
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
