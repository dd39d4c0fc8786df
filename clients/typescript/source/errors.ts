import type { ErrorCode } from "./generated/error-codes.ts";

/**
 * An error response of the service. Use `code` to distinguish errors, because the text of `message`
 * can change.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  // `string & {}` accepts codes of later releases, and keeps the completion of the known codes in
  // editors.
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** The parameter at fault, such as `ids[0]`. */
  readonly param: string | undefined;
  /** The ID of the request. Quote it when you ask for support. */
  readonly requestId: string | undefined;
  /** True if the platform or the endpoint is announced, but not available yet. */
  readonly isComingSoon: boolean;
  /** Seconds to wait before the next attempt, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** The charge of the call. Undefined for calls without a charge, and for an unknown charge. */
  readonly credits: number | undefined;

  constructor(response: Response, body: unknown) {
    const { error = {}, coming_soon: isComingSoon } = (body ?? {}) as {
      error?: { code?: string; message?: string; param?: string };
      coming_soon?: boolean;
    };
    super(
      error.message ??
        `The server returned HTTP status ${response.status} without an error body. Check the address of the service.`,
    );
    this.code = error.code ?? codeOf(response.status);
    this.status = response.status;
    this.param = error.param;
    this.requestId = response.headers.get("x-request-id") ?? undefined;
    this.isComingSoon = isComingSoon === true;
    this.retryAfterSeconds = secondsOf(response.headers.get("retry-after"));
    this.credits = numberOf(response.headers.get("x-service-credits"));
  }
}

/** No complete response arrived. If the call reads items, it may have been charged. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
}

/**
 * No complete response arrived within the timeout. If the call reads items, it may have been
 * charged.
 */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/**
 * Returns the error code for a response that is not JSON of the service, such as an error page of a
 * proxy.
 */
function codeOf(status: number): string {
  if (status === 429) return "RATE_LIMITED";
  return status >= 500 ? "UNAVAILABLE" : "UNEXPECTED_RESPONSE";
}

/**
 * Converts `Retry-After` (a number or an HTTP date) to seconds from now. Returns undefined if the
 * header is absent or malformed.
 */
function secondsOf(header: string | null): number | undefined {
  const seconds = numberOf(header) ?? (Date.parse(header ?? "") - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}

function numberOf(header: string | null): number | undefined {
  const value = header === null || header === "" ? Number.NaN : Number(header);
  return Number.isFinite(value) ? value : undefined;
}
