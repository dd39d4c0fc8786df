/**
 * Recognizes errors of dependencies that are down, unreachable, too slow or overloaded. Checks the
 * properties of AWS errors, so that this file need not import an SDK.
 */

/** Names of errors with which DynamoDB throttles a request. A throttled request has no effect. */
export const dynamoThrottles: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
]);

/**
 * Names of the errors of requests that took too long, were throttled or conflicted with other
 * requests.
 */
const names: ReadonlySet<string> = new Set([
  "OutOfTimeError",
  "RequestTimeout",
  "RequestTimeoutException",
  "TimeoutError",
  // The names for throttling and contention, in all AWS services that this service calls.
  "PriorRequestNotComplete",
  ...dynamoThrottles,
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "Throttling",
  "ThrottledException",
  "TooManyRequestsException",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

/** Error codes of network connections and DNS lookups. */
const codes: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

const statusThrottled = 429;
const statusOfServer = 500;

/**
 * Returns true for an error that means that a dependency did not respond to a request, throttled
 * the request, ended it because of a conflict with another request, or failed with a server error.
 * Returns false for any other value. An example is the error for an invalid or unauthorized
 * request, which a bug or a wrong permission of this service causes.
 */
export function isDependencyFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = memberOf(error, "code");
  const status = memberOf(memberOf(error, "$metadata"), "httpStatusCode");
  return (
    names.has(error.name) ||
    (typeof code === "string" && codes.has(code)) ||
    memberOf(error, "$fault") === "server" ||
    (typeof status === "number" && (status >= statusOfServer || status === statusThrottled))
  );
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
