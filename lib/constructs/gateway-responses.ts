import { ResponseType } from "aws-cdk-lib/aws-apigateway";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import {
  bodyTooLarge,
  internal,
  invalidParam,
  keyMissing,
  keyNotAccepted,
  notFound,
  rateLimited,
  unavailable,
} from "../../shared/base/errors.ts";
import type { ServiceError } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";

/**
 * The service error for each type of response that the gateway creates without a function.
 * @param requestsPerSecond the gateway's limit for all callers together
 */
export const gatewayErrors = (
  requestsPerSecond: number,
): readonly (readonly [ResponseType, ServiceError])[] => [
  [ResponseType.DEFAULT_4XX, malformed("request")],
  [ResponseType.DEFAULT_5XX, internal()],
  [ResponseType.RESOURCE_NOT_FOUND, notFound("This endpoint")],
  // Despite its name, also the gateway's response to an unknown path.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, notFound("This endpoint")],
  [ResponseType.UNAUTHORIZED, keyMissing()],
  [ResponseType.INVALID_API_KEY, keyNotAccepted()],
  [ResponseType.ACCESS_DENIED, keyNotAccepted()],
  [ResponseType.INVALID_SIGNATURE, keyNotAccepted()],
  [ResponseType.EXPIRED_TOKEN, keyNotAccepted()],
  [ResponseType.WAF_FILTERED, malformed("request")],
  [ResponseType.AUTHORIZER_FAILURE, internal()],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, internal()],
  [ResponseType.API_CONFIGURATION_ERROR, internal()],
  [ResponseType.INTEGRATION_FAILURE, unavailable()],
  [ResponseType.INTEGRATION_TIMEOUT, unavailable()],
  [
    ResponseType.UNSUPPORTED_MEDIA_TYPE,
    // The gateway decompresses bodies, and its response cannot quote the encoding.
    invalidParam(
      "body",
      "The body cannot be decompressed. Compress it with gzip, or send it uncompressed without a " +
        "Content-Encoding header: br, deflate, zstd and other encodings are not supported.",
    ),
  ],
  [ResponseType.BAD_REQUEST_PARAMETERS, malformed("query")],
  [ResponseType.BAD_REQUEST_BODY, malformed("body")],
  [ResponseType.REQUEST_TOO_LARGE, bodyTooLarge(limits.bodyBytesMax)],
  [ResponseType.THROTTLED, rateLimited(requestsPerSecond, 1)],
  [ResponseType.QUOTA_EXCEEDED, rateLimited(requestsPerSecond, 1)],
];

/** A status of these two types would replace the status of all other types. */
const fallbacks = new Set([ResponseType.DEFAULT_4XX, ResponseType.DEFAULT_5XX]);

/** Gives all responses of the gateway the error format of the service. */
export function addGatewayResponses(api: RestApi, requestsPerSecond: number): void {
  for (const [type, error] of gatewayErrors(requestsPerSecond)) {
    api.addGatewayResponse(`Gateway-${type.responseType}`, {
      type,
      ...(fallbacks.has(type) ? {} : { statusCode: String(error.status) }),
      responseHeaders: responseHeaders(error),
      templates: { "application/json": errorTemplate(error) },
    });
  }
}

function responseHeaders(error: ServiceError): Record<string, string> {
  const { retryAfterSeconds } = error.details;
  return {
    "X-Request-Id": "context.requestId",
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": `'${retryAfterSeconds}'` }),
  };
}

/** The body of an error as fixed text, for gateway responses and firewall responses. */
export function errorTemplate(error: ServiceError): string {
  const { param } = error.details;
  return JSON.stringify({
    error: {
      code: error.code,
      message: error.message,
      ...(param === undefined ? {} : { param }),
      docs: `/docs/errors#${error.code}`,
    },
  });
}

function malformed(part: "request" | "query" | "body"): ServiceError {
  return invalidParam(
    part,
    `The ${part} was refused as malformed. See /v1/openapi.json for what is accepted.`,
  );
}
