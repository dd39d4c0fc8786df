/**
 * Which errors mean that a dependency is down, unreachable, too slow or overloaded. Errors of AWS are
 * known by their shape, so that nothing here depends on an SDK.
 */

/** Names under which DynamoDB reports a request that it turned away without any effect. */
export const dynamoThrottles: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
]);

/** Names under which the SDK and this service report requests that were not answered or repeated. */
const names: ReadonlySet<string> = new Set([
  "OutOfTimeError",
  "RequestTimeout",
  "RequestTimeoutException",
  "TimeoutError",
  // Throttles and contention, of all the services that are called.
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

/** Codes of the network: of the connection, and of the lookup of its address. */
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
 * True if a dependency did not answer a request, throttled it or failed on its side. False for an invalid or
 * unauthorized request: that is a bug of this service.
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
