import * as errors from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import type { JsonObject } from "./json-schema.ts";

/** The explanation of an error code for clients. */
export interface ErrorGuide {
  /** HTTP statuses of responses with this code. */
  readonly status: string;
  readonly meaning: string;
  /** What the client must do. */
  readonly remedy: string;
  /** True if the same call may succeed later; a sentence if this depends on the message. */
  readonly retry: boolean | string;
  readonly example: errors.ServiceError;
}

/**
 * Returns the body of the response for an error: its code, its message, the parameter that it names
 * if there is one, and a link to its documentation. For a feature that is announced but not
 * available yet, also `coming_soon`. Leaves out all other details.
 */
export const errorBody = ({ code, message, details }: errors.ServiceError): JsonObject => ({
  error: {
    code,
    message,
    ...(details.param === undefined ? {} : { param: details.param }),
    docs: `/docs/errors#${code}`,
  },
  ...(details.comingSoon === true ? { coming_soon: true } : {}),
});

/** Explains each error code to clients (specification, section "Errors"). */
export const errorGuide: Readonly<Record<errors.ErrorCode, ErrorGuide>> = {
  MISSING_PARAM: {
    status: "400",
    meaning: "A required parameter is missing; `param` names it.",
    remedy: "Send the parameter. The OpenAPI document lists what each operation needs.",
    retry: false,
    example: errors.missingParam("ids"),
  },
  INVALID_PARAM: {
    status: "400, 402, 413, 422",
    meaning:
      "A value is not accepted: it has the wrong type, is out of range, or names an unknown platform, " +
      "marketplace or tier. Other causes are an invalid ID in a list (`param` is `ids[3]`), a URL that " +
      "is not public, and options that exclude each other. The service also refuses a query parameter " +
      "that is unknown or sent twice. With 402, the call would reserve more credits than its " +
      "`max_credits`. With 413, the body is too large. With 422, the idempotency key was used for a " +
      "different request.",
    remedy: "Read `message`: it lists what is accepted. Correct the parameter that `param` names.",
    retry: false,
    example: errors.invalidParam("ids[1]", `'ids[1]' must be a SKU of 5 to 10 digits (got "12").`),
  },
  UNAUTHORIZED: {
    status: "401, 403",
    meaning:
      "With 401, the call contains no API key, or one that is malformed, unknown or revoked. With 403, " +
      "the key lacks a scope that the operation needs: `param` is `scopes`, and `message` names the scope.",
    remedy:
      "Send `Authorization: Bearer <API_KEY>` with a key of your account that has the scopes of the operation.",
    retry: false,
    example: errors.keyMissing(),
  },
  INSUFFICIENT_CREDITS: {
    status: "402",
    meaning:
      "The balance cannot cover what the call would reserve. Nothing was read and nothing charged.",
    remedy: "Buy credits, or send fewer items. `X-Service-Balance` contains the balance.",
    retry: false,
    example: errors.insufficientCredits(1_000, 250),
  },
  DEMO_READ_ONLY: {
    status: "403",
    meaning: "The key belongs to the public demo workspace, which can only read.",
    remedy: "Use a key of your own account.",
    retry: false,
    example: errors.demoReadOnly(),
  },
  NOT_FOUND: {
    status: "404",
    meaning: "The endpoint or the resource does not exist, or it belongs to another account.",
    remedy: "Check the path and the ID.",
    retry: false,
    example: errors.watchlistNotFound("wl_01hq3v5k7m9n1p3r5t7v9x1z3b"),
  },
  CONFLICT: {
    status: "409",
    meaning:
      "The state of the resource or the account does not allow the call. A run of the watchlist, a " +
      "back-test or a call with the same idempotency key may be in progress. A brake may hold a run, or " +
      "a run may still be ending. Other calls may change the same resource. A limit of the account may " +
      "be reached, or the webhook endpoint or S3 destination may be disabled. With `param` " +
      "`daily_credit_budget`, the daily budget of the account does not cover the call, and `Retry-After` " +
      "is the time until the next UTC day. Nothing was charged.",
    remedy:
      "Follow `message`: retry, or first make the change that it names, such as deleting or enabling a resource.",
    retry: "if `message` asks you to, with exponential backoff; otherwise only after a change",
    example: errors.conflict(
      "A run of this watchlist is in progress. Try again once it has ended.",
    ),
  },
  GONE: {
    status: "410",
    meaning: "The endpoint was retired permanently.",
    remedy: "Use the operations of the OpenAPI document.",
    retry: false,
    example: errors.endpointRemoved(),
  },
  CONCURRENCY_LIMIT: {
    status: "429",
    meaning:
      "All concurrency slots of the account are busy: each item call takes one slot while it runs. " +
      "Nothing was charged.",
    remedy: "Wait for the seconds in `Retry-After`, then send fewer calls at the same time.",
    retry: true,
    example: errors.concurrencyLimit(5, 4_998),
  },
  RATE_LIMITED: {
    status: "429",
    meaning:
      "The key made more than 50 calls within a second, or all clients together sent too many calls to " +
      `one path. Or the account made more than ${limits.probes.max} probes within ` +
      `${limits.probes.seconds} seconds. A probe is a call that connects to a webhook receiver or an ` +
      "S3 store, or resolves its name.",
    remedy:
      "Wait for the seconds in `Retry-After`. `X-RateLimit-Remaining` shows how many calls are left.",
    retry: true,
    example: errors.rateLimited(limits.requestsPerSecond, 1),
  },
  INTERNAL: {
    status: "500",
    meaning: "The service failed. Nothing was charged.",
    remedy: "Retry with exponential backoff. Quote `X-Request-Id` when you ask for support.",
    retry: true,
    example: errors.internal(),
  },
  NOT_IMPLEMENTED: {
    status: "501",
    meaning:
      "The platform, marketplace, endpoint or option is announced but not available yet: the body " +
      "has `coming_soon: true`. Nothing was charged.",
    remedy: "`GET /v1/platforms` lists what is live.",
    retry: false,
    example: errors.notImplemented("The platform retailer_e"),
  },
  TARGET_FAILED: {
    status: "502",
    meaning:
      "The retailer returned no usable response after several attempts. Nothing was charged.",
    remedy: "Retry with exponential backoff.",
    retry: true,
    example: new errors.ServiceError(
      ["TARGET_FAILED", 502],
      "The retailer returned no usable response.",
    ),
  },
  UNAVAILABLE: {
    status: "503",
    meaning:
      "A part of the service is overloaded or down. Nothing was charged, unless the message states that the charge is unknown.",
    remedy:
      "Wait for the seconds in `Retry-After`, then retry with exponential backoff. If the charge is unknown, first look for the `X-Request-Id` in `GET /v1/credit_transactions`.",
    retry: true,
    example: errors.unavailable(),
  },
};
