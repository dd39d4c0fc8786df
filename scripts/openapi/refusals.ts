import * as errors from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { commonHeaders, type HeaderName, headerRefs, itemHeaders } from "./headers.ts";
import { errorBody, errorGuide } from "../../tools/documents/error-guide.ts";
import type { JsonObject } from "../../tools/documents/json-schema.ts";
import type { RefusalStatus } from "./operation.ts";

interface Refusal {
  readonly name: string;
  readonly description: string;
  /** Errors with this status, as the service creates them. The first one is the most common. */
  readonly examples: readonly errors.ServiceError[];
  readonly headers?: readonly HeaderName[];
}

/** Statuses that refuse a call, with their errors (specification, section "Errors"). */
const refusals: Readonly<Record<RefusalStatus, Refusal>> = {
  400: {
    name: "BadRequest",
    description: "A parameter is missing or not accepted; `param` names it. Nothing was charged.",
    examples: [errorGuide.INVALID_PARAM.example, errorGuide.MISSING_PARAM.example],
  },
  401: {
    name: "Unauthorized",
    description: "The call has no API key, or one that is malformed, unknown or revoked.",
    examples: [errorGuide.UNAUTHORIZED.example],
  },
  402: {
    name: "PaymentRequired",
    description:
      "The balance cannot cover the reservation, or the call would reserve more than `max_credits`. " +
      "Nothing was charged.",
    examples: [errorGuide.INSUFFICIENT_CREDITS.example, errors.overMaxCredits(1_000, 250)],
  },
  403: {
    name: "Forbidden",
    description:
      "The key lacks a scope that the operation needs, or belongs to the read-only demo workspace. " +
      "Nothing was changed or charged.",
    examples: [errors.scopesMissing(["write"]), errorGuide.DEMO_READ_ONLY.example],
  },
  404: {
    name: "NotFound",
    description: "The resource does not exist, or it belongs to another account.",
    examples: [errorGuide.NOT_FOUND.example],
  },
  409: {
    name: "Conflict",
    description:
      "The state of the resource or the account does not allow the call: a limit is reached, or work " +
      "is in progress. Retry when `message` asks you to.",
    examples: [errorGuide.CONFLICT.example],
  },
  413: {
    name: "ContentTooLarge",
    description: `The body is larger than ${limits.bodyBytesMax} bytes.`,
    examples: [errors.bodyTooLarge(limits.bodyBytesMax)],
  },
  422: {
    name: "UnprocessableContent",
    description: "The idempotency key was used for a different request.",
    examples: [
      errors.invalidParam("idempotency_key", "This idempotency key was used for another request."),
    ],
  },
  429: {
    name: "TooManyRequests",
    description:
      "The key exceeds its rate limit, the account exceeds its limit of probes, or all concurrency " +
      "slots are busy. Nothing was charged.",
    examples: [errorGuide.RATE_LIMITED.example, errorGuide.CONCURRENCY_LIMIT.example],
    headers: ["Retry-After"],
  },
  500: {
    name: "InternalError",
    description: "The service failed. Nothing was charged.",
    examples: [errorGuide.INTERNAL.example],
  },
  501: {
    name: "NotImplemented",
    description: "The platform, marketplace or endpoint is announced only. Nothing was charged.",
    examples: [errorGuide.NOT_IMPLEMENTED.example],
  },
  502: {
    name: "BadGateway",
    description: "The retailer returned no usable response. Nothing was charged.",
    examples: [errorGuide.TARGET_FAILED.example],
  },
  503: {
    name: "ServiceUnavailable",
    description: "A part of the service is overloaded or down. Nothing was charged.",
    examples: [errorGuide.UNAVAILABLE.example],
    headers: ["Retry-After"],
  },
};

const statuses = Object.keys(refusals).map(Number) as RefusalStatus[];

const componentName = (status: RefusalStatus, itemCall: boolean): string =>
  `${refusals[status].name}${itemCall ? "ToItemCall" : ""}`;

/**
 * Returns a reference to the shared response for a refusal. The responses of item calls state that
 * the call cost nothing.
 */
export const refusalRef = (status: RefusalStatus, itemCall: boolean): JsonObject => ({
  $ref: `#/components/responses/${componentName(status, itemCall)}`,
});

/**
 * Returns the entries of `components.responses`: for each status with which a call is refused, one
 * response of item calls and one of other calls.
 */
export function refusalResponses(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    statuses.flatMap((status) =>
      [false, true].map((itemCall) => [
        componentName(status, itemCall),
        response(status, itemCall),
      ]),
    ),
  );
}

function response(status: RefusalStatus, itemCall: boolean): JsonObject {
  const { description, examples, headers = [] } = refusals[status];
  return {
    description,
    headers: headerRefs([...commonHeaders, ...headers, ...(itemCall ? itemHeaders : [])]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(
          examples.map((error) => [error.code, { value: errorBody(error) }]),
        ),
      },
    },
  };
}
