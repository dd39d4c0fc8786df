import { ApiError, apiErrorOf } from "./api-error.ts";

/** Query parameters by name. Undefined and empty values are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  /** The query parameters. Undefined and empty values are not sent. */
  readonly query?: Query;
  /** The request body, sent as JSON. Undefined sends no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An HTTP response with any status, with its body as text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The time from the request until the whole body arrived. */
  readonly milliseconds: number;
}

export type WriteMethod = "POST" | "PUT" | "PATCH" | "DELETE";

/** Calls the API with one API key. Paths are relative to `/v1/`, such as `account`. */
export interface ApiClient {
  /**
   * Reads a resource and returns the parsed body. If the service is busy (429, 503), repeats the
   * call once after the time in `Retry-After`, if that time is at most five seconds.
   * @throws ApiError if the service refuses the call, fails, or cannot be reached
   */
  get<T>(path: string, options?: CallOptions): Promise<T>;
  /**
   * Sends the call once, without a retry. Returns the parsed body; undefined if it is not JSON.
   * @throws ApiError if the service refuses the call, fails, or cannot be reached
   */
  send<T>(method: WriteMethod, path: string, options?: CallOptions): Promise<T>;
  /**
   * Sends the call once and returns the response, whatever its status.
   * @throws ApiError if there is no response
   */
  raw(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

interface ClientOptions {
  readonly key: string;
  /** Called when the API refuses the key (401). */
  readonly onUnauthorized: () => void;
}

/**
 * Returns the base URL of the API, which ends in `/v1/`. The URL is derived from the address of the
 * dashboard, because both can be below the same path prefix.
 */
export const apiBase = (): string => new URL("v1/", location.href.split("#")[0]).href;

/**
 * The longest `Retry-After`, in seconds, after which a read is repeated. If the service requests a
 * longer wait, the page shows the error instead.
 */
const retrySecondsMax = 5;

/**
 * Creates a client that calls the API with one key. Calls `onUnauthorized` after every response
 * with status 401. `ApiClient` describes the errors of the methods; after an abort, `get` may
 * instead reject with the reason of the abort.
 */
export function apiClient({ key, onUnauthorized }: ClientOptions): ApiClient {
  const raw: ApiClient["raw"] = async (method, path, options = {}) => {
    const startedAt = performance.now();
    try {
      const response = await fetch(addressOf(path, options.query), requestOf(method, key, options));
      const text = await response.text();
      const milliseconds = Math.round(performance.now() - startedAt);
      if (response.status === 401) onUnauthorized();
      return { status: response.status, headers: response.headers, text, milliseconds };
    } catch (thrown) {
      throw apiErrorOf(thrown);
    }
  };
  const get = async <T>(path: string, options: CallOptions = {}): Promise<T> => {
    const answer = await raw("GET", path, options);
    if (answer.status !== 429 && answer.status !== 503) return resultOf(answer) as T;
    const asked = Number(answer.headers.get("Retry-After") ?? 1);
    if (asked > retrySecondsMax) return resultOf(answer) as T;
    await pause(asked, options.signal);
    return resultOf(await raw("GET", path, options)) as T;
  };
  return {
    raw,
    get,
    send: async <T>(method: WriteMethod, path: string, options: CallOptions = {}) =>
      resultOf(await raw(method, path, options)) as T,
  };
}

/**
 * Matches a path of resource names and IDs. Does not match segments that change the path, such as
 * `..`.
 */
const pathForm = /^[\w-]+(?:\/[\w-]+)*$/;

/**
 * Returns the address of an API call. Omits undefined and empty query parameters.
 * @param path names and IDs separated by slashes, such as `watchlists/wl_1/items`
 * @throws ApiError 404 if the path contains anything else. An ID in the path can come from a link,
 * and an invalid ID must not make the client call another address.
 */
export function addressOf(path: string, query: Query = {}): string {
  if (!pathForm.test(path)) {
    throw new ApiError({
      status: 404,
      code: "NOT_FOUND",
      message: `The link contains an invalid name or ID (got "${path}"). Check the link.`,
    });
  }
  const url = new URL(path, apiBase());
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url.href;
}

function requestOf(method: string, key: string, options: CallOptions): RequestInit {
  const { body, headers, signal } = options;
  return {
    method,
    credentials: "omit",
    cache: "no-store",
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function resultOf(answer: Answer): unknown {
  const body = parsed(answer.text);
  if (answer.status < 300) return body;
  const { error } = Object(body) as {
    readonly error?: { readonly code?: string; readonly message?: string; readonly param?: string };
  };
  throw new ApiError({
    status: answer.status,
    code: error?.code ?? "INTERNAL",
    message: error?.message ?? `The service returned HTTP ${answer.status}. Try again later.`,
    param: error?.param,
    requestId: answer.headers.get("X-Request-Id") ?? undefined,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  signal?.throwIfAborted();
}
