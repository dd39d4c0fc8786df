/** A call that was refused, failed, or did not get through. */
export class ApiError extends Error {
  /** HTTP status; 0 when there was no answer at all. */
  readonly status: number;
  /** A code of `/docs/errors`, or `NETWORK` when there was no answer. */
  readonly code: string;
  /** The parameter at fault. */
  readonly param: string | undefined;
  /** To be quoted to support. */
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

/** Whatever was thrown, as something that can be shown. */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError({
    status: 0,
    code: "NETWORK",
    message: "The service could not be reached. Check your connection, then try again.",
  });
}
