import type { ErrorCode } from "../../shared/base/errors.ts";

export interface ErrorGuide {
  /** HTTP statuses of responses with this code. */
  readonly status: string;
  readonly meaning: string;
  /** What the client must do. */
  readonly remedy: string;
  /** Whether the same call may succeed later; a sentence if that depends on the message. */
  readonly retry: boolean | string;
}

/** Explains each error code to clients (specification, section "Errors"). */
export const errorGuide: Readonly<Record<ErrorCode, ErrorGuide>> = {
  MISSING_PARAM: {
    status: "400",
    meaning: "A required parameter was not sent; `param` names it.",
    remedy: "Send it. The document lists what each operation needs.",
    retry: false,
  },
  INVALID_PARAM: {
    status: "400, 413, 422",
    meaning:
      "A value is not accepted: wrong type, out of range, unknown platform, marketplace or tier, an " +
      "invalid id in a list (`param` is `ids[3]`), a URL that is not public, options that do not " +
      "go together, or a query parameter that is unknown or sent twice. With 413 the body is too large. With 422 the idempotency key was used for a " +
      "different request.",
    remedy: "Read `message`: it lists what is accepted. Correct the parameter that `param` names.",
    retry: false,
  },
  UNAUTHORIZED: {
    status: "401",
    meaning: "There is no API key in the call, or it is unknown or revoked.",
    remedy: "Send `Authorization: Bearer <API_KEY>` with a key of your account.",
    retry: false,
  },
  INSUFFICIENT_CREDITS: {
    status: "402",
    meaning:
      "The balance cannot cover what the call would reserve. Nothing was read and nothing charged.",
    remedy: "Buy credits, or send fewer items. The balance is in `X-Service-Balance`.",
    retry: false,
  },
  DEMO_READ_ONLY: {
    status: "403",
    meaning: "The key belongs to the public demo workspace, which may read and nothing else.",
    remedy: "Use a key of your own account.",
    retry: false,
  },
  NOT_FOUND: {
    status: "404",
    meaning: "The endpoint or the resource does not exist, or it belongs to another account.",
    remedy: "Check the path and the id.",
    retry: false,
  },
  CONFLICT: {
    status: "409",
    meaning:
      "A run of the watchlist or a call with the same idempotency key is in progress, other calls " +
      "change the same resource, a limit of the account is reached, or the webhook endpoint or S3 " +
      "destination is disabled. Nothing was charged.",
    remedy:
      "Follow `message`: retry, or first make the change it names, such as deleting or enabling a resource.",
    retry:
      "if `message` says to try again, with exponential backoff; otherwise only after a change",
  },
  GONE: {
    status: "410",
    meaning: "The endpoint was retired for good.",
    remedy: "Use the operations that the document lists.",
    retry: false,
  },
  CONCURRENCY_LIMIT: {
    status: "429",
    meaning:
      "All concurrency slots of the account are busy: each item call takes one while it runs. " +
      "Nothing was charged.",
    remedy: "Wait as long as `Retry-After` says, then send fewer calls at the same time.",
    retry: true,
  },
  RATE_LIMITED: {
    status: "429",
    meaning:
      "More than 50 calls within a second with this key, or more than 10 test deliveries within a " +
      "minute to one webhook endpoint.",
    remedy: "Wait as long as `Retry-After` says; `X-RateLimit-Remaining` tells you before.",
    retry: true,
  },
  INTERNAL: {
    status: "500",
    meaning: "Something failed on our side. Nothing was charged.",
    remedy: "Try again with growing pauses. Quote `X-Request-Id` when you write to us.",
    retry: true,
  },
  NOT_IMPLEMENTED: {
    status: "501",
    meaning:
      "The platform, marketplace, endpoint or option is announced but not available yet: the body " +
      "has `coming_soon: true`. Nothing was charged.",
    remedy: "`GET /v1/platforms` tells what is live.",
    retry: false,
  },
  TARGET_FAILED: {
    status: "502",
    meaning: "The retailer gave no usable answer after several attempts. Nothing was charged.",
    remedy: "Try again with growing pauses.",
    retry: true,
  },
  UNAVAILABLE: {
    status: "503",
    meaning:
      "A part of the service is overloaded or down. Nothing was charged, unless the message says that it is not known yet.",
    remedy:
      "Wait as long as `Retry-After` says, then try again with growing pauses. Where the charge is not known, look for the `X-Request-Id` in `GET /v1/credit_transactions` first.",
    retry: true,
  },
};
