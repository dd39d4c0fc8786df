import { quantity } from "./quantity.ts";

/**
 * The errors of the API, one factory for each row of the specification's table (section "Errors"). No
 * other code contains HTTP statuses. Messages contain nothing internal.
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

/** True for a `ServiceError`, also of another bundle, for which `instanceof` fails. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "isServiceError" in error;
}

export const missingParam = (
  param: string,
  message = `Parameter '${param}' is required.`,
): ServiceError => new ServiceError(["MISSING_PARAM", 400], message, { param });

export const invalidParam = (param: string, message: string): ServiceError =>
  new ServiceError(["INVALID_PARAM", 400], message, { param });

export const bodyTooLarge = (limitBytes: number): ServiceError =>
  new ServiceError(
    ["INVALID_PARAM", 413],
    `The request body is larger than ${limitBytes} bytes. Send fewer items in one call.`,
    { param: "body" },
  );

const sendKey = "Send it as 'Authorization: Bearer <API_KEY>'.";

export const keyMissing = (): ServiceError =>
  new ServiceError(["UNAUTHORIZED", 401], `The call carries no API key. ${sendKey}`);

/** @param flaw what is wrong with the key, as a sentence that does not contain the key */
export const keyMalformed = (flaw: string): ServiceError =>
  new ServiceError(["UNAUTHORIZED", 401], `The API key is malformed. ${flaw} ${sendKey}`);

export const keyNotAccepted = (): ServiceError =>
  new ServiceError(
    ["UNAUTHORIZED", 401],
    "The API key is unknown or revoked. Use an active key of your account.",
  );

export const insufficientCredits = (needed: number, balance: number): ServiceError =>
  new ServiceError(
    ["INSUFFICIENT_CREDITS", 402],
    `This call reserves ${quantity(needed, "credit")} and the balance is ${balance}. Nothing was charged.`,
    { balance },
  );

export const demoReadOnly = (): ServiceError =>
  new ServiceError(
    ["DEMO_READ_ONLY", 403],
    "This key belongs to the read-only demo workspace. Use a key of your own account.",
  );

/** @param remedy how to create the missing resource, as a sentence */
export const notFound = (what: string, remedy = ""): ServiceError =>
  new ServiceError(["NOT_FOUND", 404], `${what} does not exist.${remedy && ` ${remedy}`}`);

const alternatives = new Intl.ListFormat("en", { type: "disjunction", style: "short" });

/** For a method that the path does not support. */
export const wrongMethod = (method: string, path: string, allow: readonly string[]): ServiceError =>
  new ServiceError(
    ["NOT_FOUND", 404],
    `${path} does not support ${method}. Use ${alternatives.format(allow)}.`,
    { allow },
  );

export const conflict = (message: string): ServiceError =>
  new ServiceError(["CONFLICT", 409], message);

export const idempotencyKeyReused = (): ServiceError =>
  new ServiceError(
    ["INVALID_PARAM", 422],
    "This idempotency key was used for another request. Use a new one.",
    { param: "idempotency_key" },
  );

export const gone = (): ServiceError =>
  new ServiceError(
    ["GONE", 410],
    "This endpoint was removed. See /v1/openapi.json for the current endpoints.",
  );

export const concurrencyLimit = (limit: number, balance: number): ServiceError =>
  new ServiceError(
    ["CONCURRENCY_LIMIT", 429],
    `The account's limit of ${quantity(limit, "concurrent call")} is reached. Nothing was charged.`,
    { retryAfterSeconds: 1, balance },
  );

export const rateLimited = (limit: number, retryAfterSeconds: number): ServiceError =>
  new ServiceError(
    ["RATE_LIMITED", 429],
    `Rate limit of ${quantity(limit, "call")} per second exceeded. Retry after the time in Retry-After.`,
    {
      retryAfterSeconds,
    },
  );

export const internal = (): ServiceError =>
  new ServiceError(
    ["INTERNAL", 500],
    "Something failed on our side. Nothing was charged. Quote the X-Request-Id when you write to us.",
  );

export const notImplemented = (what: string): ServiceError =>
  new ServiceError(["NOT_IMPLEMENTED", 501], `${what} is announced but not available yet.`, {
    comingSoon: true,
  });

/** For a call that may have been charged, if no worker could be asked to cancel the charge. */
export const unconfirmed = (why: string): ServiceError =>
  new ServiceError(
    ["UNAVAILABLE", 503],
    "A dependency failed while this call was being charged. It is not known yet whether it was charged. " +
      "Check GET /v1/credit_transactions?request_id=<X-Request-Id of this response>.",
    { isUnconfirmed: true, retryAfterSeconds: 1, why },
  );

/** @param why cause for the log, without customer data except IDs */
export const unavailable = (why?: string): ServiceError =>
  new ServiceError(
    ["UNAVAILABLE", 503],
    "A part of the service is overloaded or down. Nothing was charged; try again shortly.",
    { retryAfterSeconds: 1, ...(why === undefined ? {} : { why }) },
  );
