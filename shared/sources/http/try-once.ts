import type { SourceCall } from "./source-client.ts";

/** The request of one try. */
export type TriedCall = Pick<SourceCall, "method" | "url"> & { readonly body?: string };

/** The result of one HTTP try. Never contains a part of the URL, which may contain a secret. */
export type TryOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly body: Uint8Array;
      readonly headers: ReadonlyMap<string, string>;
    }
  | {
      readonly kind: "broken";
      /** True if the source closed the connection before it sent a response. */
      readonly wasClosed: boolean;
      /** The error code, such as `ECONNREFUSED` or `timeout`. */
      readonly error: string;
    }
  | { readonly kind: "too_large" };

/** The headers and the limits of one try. */
export interface TryOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

/** Error codes of a connection that the server closed. */
const closedCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * Sends one request. The signal limits the time of the request, and `bytesMax` limits the size of
 * the decompressed response. Returns errors of the source as outcomes and never throws them. Does
 * not follow redirects, so a secret in the URL reaches only the configured host.
 */
export async function tryOnce(call: TriedCall, options: TryOptions): Promise<TryOutcome> {
  let response: Response;
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: options.headers,
      ...(call.body !== undefined && { body: call.body }),
      signal: options.signal,
      redirect: "manual",
    });
  } catch (error) {
    return { kind: "broken", wasClosed: closedCodes.has(codeOf(error)), error: errorCodeOf(error) };
  }
  try {
    const body = await readBody(response, options.bytesMax);
    if (body === undefined) return { kind: "too_large" };
    const { status } = response;
    return { kind: "answered", status, body, headers: new Map(response.headers) };
  } catch (error) {
    return { kind: "broken", wasClosed: false, error: errorCodeOf(error) };
  }
}

/** Returns the decompressed body; undefined if it has more than `bytesMax` bytes. */
async function readBody(response: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream, so the rest of the body is not downloaded.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const codeForm = /^[A-Z][A-Z0-9_]{1,60}$/;

/**
 * Returns the code of an error: `timeout`, a code of the connection, or `failed`. Never returns the
 * error's message, because it may contain the URL.
 */
function errorCodeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError" || name === "AbortError") return "timeout";
  const code = codeOf(error);
  return typeof code === "string" && codeForm.test(code) ? code : "failed";
}

/**
 * Returns the code of the connection error that `fetch` stores in the `cause` of its error;
 * undefined if there is none.
 */
function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
