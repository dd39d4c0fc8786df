import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { warnOnce } from "./deprecation.ts";
import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";
import { keyedOperations, operations, type Operations } from "./generated/operations.ts";
import { isRetryable, type OperationId, retryDelayMs, timeoutOf } from "./policy.ts";

/** The path parameters, the query and the body of an operation, and how to send them. */
export type CallOptions<Id extends OperationId> = Omit<
  Operations[Id]["data"],
  "url" | "headers"
> & {
  /** Ends the call and its retries when it is aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds that each attempt may take. Default: the limit of the operation. */
  readonly timeoutMs?: number;
  /**
   * The idempotency key of `createWatchlist`. Send the same key with every repeat of a request.
   * Default: a random key.
   */
  readonly idempotencyKey?: string;
};

/** Arguments of a call: the options can be omitted if the operation requires no input. */
export type CallArguments<Id extends OperationId> =
  object extends CallOptions<Id>
    ? readonly [options?: CallOptions<Id>]
    : readonly [options: CallOptions<Id>];

export interface TransportOptions {
  /** The API key. Default: the environment variable `RPD_API_KEY`. Public operations need none. */
  readonly apiKey?: string;
  /**
   * The address of the service, without `/v1`. Default: the environment variable `RPD_BASE_URL`.
   */
  readonly baseUrl?: string;
  /** Maximum number of attempts of each call, including the first. Default: 5. */
  readonly attempts?: number;
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

interface Input {
  readonly path?: Values;
  readonly query?: Values;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
}

/** Sends calls with the API key, timeouts and retries. */
export class Transport {
  readonly #apiKey: string | undefined;
  readonly #baseUrl: string;
  readonly #attempts: number;
  readonly #fetch: typeof fetch;

  constructor(options: TransportOptions = {}) {
    this.#apiKey = options.apiKey ?? process.env["RPD_API_KEY"];
    const baseUrl = options.baseUrl ?? process.env["RPD_BASE_URL"];
    if (baseUrl === undefined || baseUrl === "")
      throw new TypeError(
        "The address of the service is missing. Set the variable RPD_BASE_URL or the option 'baseUrl'.",
      );
    if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
      // Omits the value, because a user can set an API key as the address by mistake.
      throw new TypeError(
        "The address of the service must be an http or https URL. Check the variable RPD_BASE_URL or the option 'baseUrl'. The value is not shown, because it may be an API key.",
      );
    if (this.#apiKey !== undefined && !/^[\x21-\x7e]*$/.test(this.#apiKey))
      throw new TypeError(
        "The API key contains a character that no key has, such as a space or a curly quote. Copy it again.",
      );
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#attempts = options.attempts ?? 5;
    this.#fetch = options.fetch ?? fetch;
  }

  /**
   * Calls an operation. Repeats it only if the repeat is safe.
   * @throws ApiError if the service returns an error
   * @throws ConnectionError if no response arrives; `TimeoutError` if it does not arrive in time
   */
  async call<Id extends OperationId>(
    operation: Id,
    ...[options]: CallArguments<Id>
  ): Promise<Operations[Id]["result"]> {
    const input = (options ?? {}) as Input;
    const send = this.#request(operation, input);
    let isInFlight = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await send()) as Operations[Id]["result"];
      } catch (error) {
        input.signal?.throwIfAborted();
        const isLast = attempt >= this.#attempts;
        if (isLast || !isRetryable(error, { operation, isInFlight })) throw error;
        isInFlight ||= error instanceof ConnectionError;
        const ending = input.signal === undefined ? {} : { signal: input.signal };
        await delay(retryDelayMs(attempt, error), undefined, ending);
      }
    }
  }

  /** Returns a function that sends one attempt. All attempts have the same idempotency key. */
  #request(operation: OperationId, input: Input): () => Promise<unknown> {
    if (!Object.hasOwn(operations, operation))
      throw new TypeError(
        `There is no operation '${operation}'. Use an operation ID of the API reference.`,
      );
    const [method, template] = operations[operation];
    const url = `${this.#baseUrl}${pathOf(template, input.path ?? {})}${queryOf(input.query ?? {})}`;
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.#apiKey !== undefined) headers["Authorization"] = `Bearer ${this.#apiKey}`;
    if (input.body !== undefined) headers["Content-Type"] = "application/json";
    if (keyedOperations.has(operation))
      headers["Idempotency-Key"] = input.idempotencyKey ?? randomUUID();
    refuseNonFinite(input.body, "body");
    const body = input.body === undefined ? {} : { body: JSON.stringify(input.body) };
    const timeoutMs = input.timeoutMs ?? timeoutOf(operation);
    return async () => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal =
        input.signal === undefined ? timeout : AbortSignal.any([timeout, input.signal]);
      try {
        return await this.#send(operation, url, { method, headers, ...body, signal });
      } catch (cause) {
        if (cause instanceof ApiError) throw cause;
        if (timeout.aborted)
          throw new TimeoutError(
            `The call ${operation} got no response within ${timeoutMs} ms. Retry it, or set a longer 'timeoutMs'.`,
            {
              cause,
            },
          );
        throw new ConnectionError(
          `The call ${operation} got no complete response from ${this.#baseUrl} (${reasonOf(cause)}). Check the address and the network.`,
          {
            cause,
          },
        );
      }
    };
  }

  async #send(operation: OperationId, url: string, init: RequestInit): Promise<unknown> {
    const response = await this.#fetch(url, init);
    warnOnce(operation, response.headers, this.#baseUrl);
    const text = await response.text();
    const body = parsedOrUndefined(text);
    if (!response.ok) throw new ApiError(response, body);
    if (typeof body === "object" && body !== null) return body;
    const message = `The response to ${operation} is not JSON of the service. Check the address ${this.#baseUrl}.`;
    throw new ApiError(response, { error: { code: "UNEXPECTED_RESPONSE", message } });
  }
}

/**
 * Refuses NaN and Infinity in a value, because JSON has neither. `JSON.stringify` would send null,
 * which has another meaning.
 * @param name The path of the value, for the error.
 * @throws TypeError that names the field
 */
function refuseNonFinite(value: unknown, name: string): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`The field '${name}' must be a finite number (got ${value}).`);
  if (typeof value !== "object" || value === null) return;
  for (const [key, entry] of Object.entries(value))
    refuseNonFinite(entry, Array.isArray(value) ? `${name}[${key}]` : `${name}.${key}`);
}

/** Returns the cause that a failed connection reports, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as {
    cause?: { code?: string; message?: string };
    message: string;
  };
  return cause?.code ?? cause?.message ?? message;
}

/**
 * Parses JSON. Returns undefined for any other text, such as an error page of a proxy between
 * client and service.
 */
function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const pathOf = (template: string, values: Values): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // A URL with `..` as a segment leads to another operation.
    if (value === undefined || value === "" || value === "." || value === "..")
      throw new TypeError(
        `The path parameter '${name}' must be an ID (got ${value === undefined ? "nothing" : `"${value}"`}).`,
      );
    return encodeURIComponent(String(value));
  });

function queryOf(values: Values): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? "" : `?${query.toString()}`;
}
