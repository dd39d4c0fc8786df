/** The error of an API call that was refused, failed, or did not reach the service. */
export class ApiError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** An error code of `/docs/errors`, or `NETWORK` if there was no response. */
  readonly code: string;
  /** The parameter that caused the error; undefined if none did. */
  readonly param: string | undefined;
  /** The request ID, by which support can find the call; undefined if there was no response. */
  readonly requestId: string | undefined;

  constructor(about: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly param?: string | undefined;
    readonly requestId?: string | undefined;
  }) {
    super(about.message);
    this.name = "ApiError";
    this.status = about.status;
    this.code = about.code;
    this.param = about.param;
    this.requestId = about.requestId;
  }
}

/**
 * Returns an ApiError unchanged. Returns any other thrown value as an ApiError with the code
 * `NETWORK` and a message that a page can show.
 */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError({
    status: 0,
    code: "NETWORK",
    message: "The service could not be reached. Check your connection, then try again.",
  });
}
