import { quantity } from "./quantity.ts";
import { shorten } from "./shown-value.ts";

/**
 * The errors of the API: one factory for each row of the table in the specification (section
 * "Errors"). Operations choose an error, never an HTTP status. Messages contain no internal
 * details.
 */
export type ErrorCode =
  | "MISSING_PARAM"
  | "INVALID_PARAM"
  | "UNAUTHORIZED"
  | "INSUFFICIENT_CREDITS"
  | "DEMO_READ_ONLY"
  | "NOT_FOUND"
  | "CONFLICT"
  | "GONE"
  | "CONCURRENCY_LIMIT"
  | "RATE_LIMITED"
  | "INTERNAL"
  | "NOT_IMPLEMENTED"
  | "TARGET_FAILED"
  | "UNAVAILABLE";

interface ErrorDetails {
  readonly param?: string;
  readonly comingSoon?: boolean;
  /** True if it is unknown whether the call was charged. */
  readonly isUnconfirmed?: boolean;
  readonly retryAfterSeconds?: number;
  /** Balance of the account, if known. */
  readonly balance?: number;
  /** Methods that the path supports, for the header `Allow`. */
  readonly allow?: readonly string[];
  /** The cause, for the log only. */
  readonly why?: string;
}

/**
 * An error response: code, HTTP status, message and details. Create it with the factories of this
 * file.
 */
export class ServiceError extends Error {
  readonly isServiceError = true;
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(kind: readonly [ErrorCode, number], message: string, details: ErrorDetails = {}) {
    super(message, details.why === undefined ? {} : { cause: details.why });
    this.name = "ServiceError";
    [this.code, this.status] = kind;
    this.details = details;
  }
}

/** Returns true for a `ServiceError`, even if another bundle created it and `instanceof` fails. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "isServiceError" in error;
}

/**
 * Returns the error 400 for an absent parameter.
 * @param param The name of the parameter.
 * @param message The text of the error. By default, it states that the parameter is required.
 */
export const missingParam = (
  param: string,
  message = `Parameter '${param}' is required.`,
): ServiceError => new ServiceError(["MISSING_PARAM", 400], message, { param });

/**
 * Returns the error 400 for a parameter with an invalid value.
 * @param param The name of the parameter.
 * @param message What is wrong, with the value, and what to do.
 */
export const invalidParam = (param: string, message: string): ServiceError =>
  new ServiceError(["INVALID_PARAM", 400], message, { param });

/** Returns the error 413 for a body larger than `limitBytes`. */
export const bodyTooLarge = (limitBytes: number): ServiceError =>
  new ServiceError(
    ["INVALID_PARAM", 413],
    `The request body is larger than ${limitBytes} bytes. Send fewer items in one call.`,
    { param: "body" },
  );

const sendKey = "Send the key as 'Authorization: Bearer <API_KEY>'.";

/** Returns the error 401 for a request without an API key. */
export const keyMissing = (): ServiceError =>
  new ServiceError(["UNAUTHORIZED", 401], `The request has no API key. ${sendKey}`);

/**
 * Returns the error 401 for a string that cannot be an API key.
 * @param flaw what is wrong with the key, as a sentence that does not contain the key
 */
export const keyMalformed = (flaw: string): ServiceError =>
  new ServiceError(["UNAUTHORIZED", 401], `The API key is malformed. ${flaw} ${sendKey}`);

/** Returns the error 401 for a key that does not exist or was revoked. */
export const keyNotAccepted = (): ServiceError =>
  new ServiceError(
    ["UNAUTHORIZED", 401],
    "The API key is unknown or revoked. Use an active key of your account.",
  );

/**
 * Returns the error 402 for a call that must reserve more credits than the balance.
 * @param needed The credits to reserve.
 */
export const insufficientCredits = (needed: number, balance: number): ServiceError =>
  new ServiceError(
    ["INSUFFICIENT_CREDITS", 402],
    `This call must reserve ${quantity(needed, "credit")}, but the balance is ${balance}. ` +
      "Nothing was charged. Buy credits or send fewer items.",
    { balance },
  );

/**
 * Returns the error 402 for a call that must reserve more credits than its `max_credits`.
 * @param needed The credits to reserve.
 * @param max The value of `max_credits`.
 */
export const overMaxCredits = (needed: number, max: number): ServiceError =>
  new ServiceError(
    ["INVALID_PARAM", 402],
    `This call must reserve ${quantity(needed, "credit")}, but 'max_credits' is ${max}. ` +
      "Nothing was read or charged. Send fewer items or a higher 'max_credits'.",
    { param: "max_credits" },
  );

/**
 * Returns the error 409 for a call that would exceed the account's daily budget.
 * @param needed The credits to reserve.
 * @param credits.limit The daily budget.
 * @param credits.available The credits that the budget leaves for the UTC day.
 * @param credits.balance The balance, for the header `X-Service-Balance`.
 * @param retryAfterSeconds The seconds until the next UTC day.
 */
export const dailyBudgetReached = (
  needed: number,
  { limit, available, balance }: { limit: number; available: number; balance: number },
  retryAfterSeconds: number,
): ServiceError =>
  new ServiceError(
    ["CONFLICT", 409],
    `This call must reserve ${quantity(needed, "credit")}, but the account's 'daily_credit_budget' of ` +
      `${limit} leaves ${available} for this UTC day. Nothing was read or charged. Send fewer items, ` +
      "raise the budget with PATCH /v1/account, or repeat the call after 00:00 UTC.",
    { param: "daily_credit_budget", balance, retryAfterSeconds },
  );

/** Returns the error 403 for a write with a key of the demo workspace. */
export const demoReadOnly = (): ServiceError =>
  new ServiceError(
    ["DEMO_READ_ONLY", 403],
    "This key belongs to the read-only demo workspace. Use a key of your own account.",
  );

/** Returns the error 403 for a call of `/mcp` by a web page of another site. */
export const originRefused = (): ServiceError =>
  new ServiceError(
    ["UNAUTHORIZED", 403],
    "Pages of other sites cannot call this endpoint. Call it from a program, which sends no 'Origin' header.",
  );

/**
 * Returns the values as an English list. Creates the formatter for each call: at the import of this
 * module it would take a quarter of every cold start, because it loads the locale data.
 */
const listText = (values: readonly string[], type: "conjunction" | "disjunction"): string =>
  new Intl.ListFormat("en", { type }).format(values);

const scopesText = (scopes: readonly string[]): string =>
  `${scopes.length === 1 ? "scope" : "scopes"} ${listText(
    scopes.map((scope) => `'${scope}'`),
    "conjunction",
  )}`;

/** Returns the error 403 for a call that needs scopes that its key does not have. */
export const scopesMissing = (missing: readonly string[]): ServiceError =>
  new ServiceError(
    ["UNAUTHORIZED", 403],
    `This API key lacks the ${scopesText(missing)}. Nothing was changed or charged. Use a key with ` +
      `the missing ${missing.length === 1 ? "scope" : "scopes"}: GET /v1/api_keys lists the keys of your account.`,
    { param: "scopes" },
  );

/**
 * Returns the error 403 for the creation of a key with scopes that the calling key does not have.
 * @param missing The requested scopes that the calling key lacks.
 * @param held The scopes of the calling key.
 */
export const scopesNotHeld = (missing: readonly string[], held: readonly string[]): ServiceError =>
  new ServiceError(
    ["UNAUTHORIZED", 403],
    `This API key lacks the ${scopesText(missing)}, so it cannot create a key with ${missing.length === 1 ? "it" : "them"}. Nothing ` +
      `was changed or charged. Send 'scopes' with values of ${listText(held, "conjunction")} only, or use a key with more scopes.`,
    { param: "scopes" },
  );

/**
 * Returns the error 404 for a resource that does not exist.
 * @param message names the resource and how to find or create it
 */
export const notFound = (message: string): ServiceError =>
  new ServiceError(["NOT_FOUND", 404], message);

/**
 * Returns the error 404 for an ID that no resource of the account has.
 * @param kind the kind of resource, as the first words of the message
 * @param id the ID that the client sent. The message contains its first 40 characters.
 * @param remedy how to find the IDs that exist, as a sentence
 */
export const unknownId = (kind: string, id: string, remedy: string): ServiceError =>
  notFound(`${kind} ${shorten(id)} does not exist. ${remedy}`);

/** Returns the error 404 for a path that no endpoint of the API has. */
export const unknownEndpoint = (): ServiceError =>
  notFound("This path has no endpoint. See /v1/openapi.json for the endpoints.");

/** Returns the error 404 for a watchlist that the account does not have. */
export const watchlistNotFound = (watchlistId: string): ServiceError =>
  unknownId("Watchlist", watchlistId, "List your watchlists with GET /v1/watchlists.");

/** Returns the error 404 for an event that the account does not have. */
export const eventNotFound = (eventId: string): ServiceError =>
  unknownId("Event", eventId, "List the events with GET /v1/events.");

/** Returns the error 404 for an item that is not on the watchlist. */
export const itemNotFound = (itemId: string): ServiceError =>
  notFound(
    `This watchlist has no item ${itemId}. List its items with GET /v1/watchlists/{id}/items.`,
  );

/** Returns the error 404 for a run that the watchlist does not have. */
export const runNotFound = (runNumber: number | string): ServiceError =>
  notFound(
    `This watchlist has no run ${shorten(String(runNumber))}. List its runs with GET /v1/watchlists/{id}/runs.`,
  );

/** Returns the error 404 for a method that the path does not support. */
export const wrongMethod = (method: string, path: string, allow: readonly string[]): ServiceError =>
  new ServiceError(
    ["NOT_FOUND", 404],
    `${path} does not support ${method}. Use ${listText(allow, "disjunction")}.`,
    { allow },
  );

/**
 * Returns the error 409 for a request that the current state of the resource does not allow.
 * @param message Why the state does not allow the request, and what to do.
 */
export const conflict = (message: string): ServiceError =>
  new ServiceError(["CONFLICT", 409], message);

/** Returns the error 422 for an idempotency key that an earlier, different request used. */
export const idempotencyKeyReused = (): ServiceError =>
  new ServiceError(
    ["INVALID_PARAM", 422],
    "This idempotency key was used for another request. Use a new key.",
    { param: "idempotency_key" },
  );

/** Returns the error 410 for an endpoint that was removed from the API. */
export const endpointRemoved = (): ServiceError =>
  new ServiceError(
    ["GONE", 410],
    "This endpoint was removed. See /v1/openapi.json for the current endpoints.",
  );

/**
 * Returns the error 429 for an item call that exceeds the account's number of slots.
 * @param limit The number of slots: the maximum number of concurrent item calls.
 * @param balance The balance in credits, for the header `X-Service-Balance`.
 */
export const concurrencyLimit = (limit: number, balance: number): ServiceError =>
  new ServiceError(
    ["CONCURRENCY_LIMIT", 429],
    `The account's limit of ${quantity(limit, "concurrent call")} is reached. Nothing was charged. Retry when a call has ended.`,
    { retryAfterSeconds: 1, balance },
  );

/**
 * Returns the error 429 for a call that exceeds the rate limit of its API key.
 * @param limit The calls per second that the key may make.
 * @param retryAfterSeconds The seconds until the next call is possible.
 */
export const rateLimited = (limit: number, retryAfterSeconds: number): ServiceError =>
  new ServiceError(
    ["RATE_LIMITED", 429],
    `Rate limit of ${quantity(limit, "call")} per second exceeded. Retry after the time in Retry-After.`,
    {
      retryAfterSeconds,
    },
  );

/**
 * Returns the error 429 for a call that API Gateway throttles. The limits of API Gateway apply to
 * all clients together.
 * @param retryAfterSeconds The seconds until the next call is possible.
 */
export const tooManyCalls = (retryAfterSeconds: number): ServiceError =>
  new ServiceError(
    ["RATE_LIMITED", 429],
    "All clients together make too many calls to this path. Retry after the time in Retry-After.",
    { retryAfterSeconds },
  );

/**
 * Returns the error 429 for a call that exceeds the account's maximum number of probes in a period.
 * @param limit.max The number of probes that an account may make in a period.
 * @param limit.seconds The length of the period.
 * @param retryAfterSeconds The seconds until the next probe is possible.
 */
export const probesLimited = (
  { max, seconds }: { readonly max: number; readonly seconds: number },
  retryAfterSeconds: number,
): ServiceError =>
  new ServiceError(
    ["RATE_LIMITED", 429],
    `In ${quantity(seconds, "second")}, an account can make ${quantity(max, "call")} that connect to its ` +
      `webhook receivers and S3 stores. This limit is reached. Retry in ${quantity(retryAfterSeconds, "second")}.`,
    { retryAfterSeconds },
  );

/** Returns the error 500 for an error that the service did not expect. */
export const internal = (): ServiceError =>
  new ServiceError(
    ["INTERNAL", 500],
    "The service failed because of an unexpected error. Nothing was charged. Retry later. If you ask for support, quote the X-Request-Id of this response.",
  );

/**
 * Returns the error 501 for a feature that is announced, but not yet available.
 * @param what The feature, as the subject of the message.
 */
export const notImplemented = (what: string): ServiceError =>
  new ServiceError(
    ["NOT_IMPLEMENTED", 501],
    `${what} is announced but not available yet. GET /v1/platforms lists what is available.`,
    {
      comingSoon: true,
    },
  );

/**
 * Returns the error 503 for a call that may have been charged: a request to the ledger or to the
 * queue of cancellations failed, so the service does not know the outcome.
 * @param why cause for the log
 */
export const chargeUnconfirmed = (why: string): ServiceError =>
  new ServiceError(
    ["UNAVAILABLE", 503],
    "A part of the service failed while it charged this call, so the charge is not known yet. Before you " +
      "repeat the call, look up the charge: GET /v1/credit_transactions?request_id=<X-Request-Id of this response>.",
    { isUnconfirmed: true, retryAfterSeconds: 1, why },
  );

/**
 * Returns the error 503 for an overloaded or failed dependency, if nothing was charged.
 * @param why cause for the log, without customer data except IDs
 */
export const unavailable = (why?: string): ServiceError =>
  new ServiceError(
    ["UNAVAILABLE", 503],
    "A part of the service is overloaded or down. Nothing was charged. Retry after the time in Retry-After.",
    { retryAfterSeconds: 1, ...(why === undefined ? {} : { why }) },
  );
