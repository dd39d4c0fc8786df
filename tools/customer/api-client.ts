/** A response of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A customer's client of the API. It returns error responses like any other response. */
export interface ApiClient {
  /**
   * Sends a GET request with the API key.
   * @param path the path below `/v1` with its query, such as `/account`
   */
  get(path: string): Promise<ApiAnswer>;
  /**
   * Sends a request with the API key.
   * @param path the path below `/v1`, such as `/watchlists`
   * @param body the body, which is sent as JSON; none if it is undefined
   */
  send(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ): Promise<ApiAnswer>;
}

/**
 * Creates a client that calls the API over HTTP with one API key. An error response is returned
 * like any other response. A call rejects if there is no response, or if the body is not JSON.
 * @param baseUrl address of the API before `/v1`, with which all paths begin
 */
export function apiClient(baseUrl: string, apiKey: string): ApiClient {
  const call = async (path: string, init: RequestInit): Promise<ApiAnswer> => {
    const response = await fetch(`${baseUrl}/v1${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  };
  return {
    get: (path) => call(path, { method: "GET" }),
    send: (method, path, body) =>
      call(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  };
}
