import { ResponseType } from "aws-cdk-lib/aws-apigateway";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import {
  bodyTooLarge,
  internal,
  invalidParam,
  keyMissing,
  keyNotAccepted,
  tooManyCalls,
  unavailable,
  unknownEndpoint,
} from "../../shared/base/errors.ts";
import type { ServiceError } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { strictTransportSecurity } from "../../shared/base/transport-security.ts";

/**
 * Returns the error of the service for each type of response that the gateway creates without
 * calling a function.
 */
export const gatewayErrors = (): readonly (readonly [ResponseType, ServiceError])[] => [
  [ResponseType.DEFAULT_4XX, malformedError("request")],
  [ResponseType.DEFAULT_5XX, internal()],
  [ResponseType.RESOURCE_NOT_FOUND, unknownEndpoint()],
  // The gateway also uses this type for an unknown path, despite the name of the type.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, unknownEndpoint()],
  [ResponseType.UNAUTHORIZED, keyMissing()],
  [ResponseType.INVALID_API_KEY, keyNotAccepted()],
  [ResponseType.ACCESS_DENIED, keyNotAccepted()],
  [ResponseType.INVALID_SIGNATURE, keyNotAccepted()],
  [ResponseType.EXPIRED_TOKEN, keyNotAccepted()],
  [ResponseType.WAF_FILTERED, malformedError("request")],
  [ResponseType.AUTHORIZER_FAILURE, internal()],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, internal()],
  [ResponseType.API_CONFIGURATION_ERROR, internal()],
  [ResponseType.INTEGRATION_FAILURE, unavailable()],
  [ResponseType.INTEGRATION_TIMEOUT, unavailable()],
  [
    ResponseType.UNSUPPORTED_MEDIA_TYPE,
    // The gateway decompresses bodies itself. Its response cannot contain the rejected encoding,
    // so the message lists the encodings that are not supported.
    invalidParam(
      "body",
      "The body cannot be decompressed. Compress it with gzip, or send it uncompressed without a " +
        "Content-Encoding header: br, deflate, zstd and other encodings are not supported.",
    ),
  ],
  [ResponseType.BAD_REQUEST_PARAMETERS, malformedError("query")],
  [ResponseType.BAD_REQUEST_BODY, malformedError("body")],
  [ResponseType.REQUEST_TOO_LARGE, bodyTooLarge(limits.bodyBytesMax)],
  [ResponseType.THROTTLED, tooManyCalls(1)],
  [ResponseType.QUOTA_EXCEEDED, tooManyCalls(1)],
];

/** A status for one of these two types would override the status of all other types. */
const fallbacks = new Set([ResponseType.DEFAULT_4XX, ResponseType.DEFAULT_5XX]);

/** Sets the service's error format for all responses that the gateway creates. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, error] of gatewayErrors()) {
    api.addGatewayResponse(`Gateway-${type.responseType}`, {
      type,
      ...(fallbacks.has(type) ? {} : { statusCode: String(error.status) }),
      responseHeaders: responseHeaders(error),
      templates: { "application/json": errorTemplate(error) },
    });
  }
}

/** Returns the headers of an error response, each with its value in the gateway's syntax. */
function responseHeaders(error: ServiceError): Record<string, string> {
  const { retryAfterSeconds } = error.details;
  return {
    "X-Request-Id": "context.requestId",
    "Strict-Transport-Security": `'${strictTransportSecurity}'`,
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": `'${retryAfterSeconds}'` }),
  };
}

/** Returns the body of an error as constant JSON, for responses of the gateway and the firewall. */
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

/** Returns the error 400 for a part of a request that the gateway rejects as malformed. */
function malformedError(part: "request" | "query" | "body"): ServiceError {
  return invalidParam(part, `The ${part} is malformed. See /v1/openapi.json for the valid format.`);
}
