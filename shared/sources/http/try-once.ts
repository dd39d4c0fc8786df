import type { SourceCall } from "./source-client.ts";

/** A call as it goes out in one try. */
export type TriedCall = Pick<SourceCall, "method" | "url"> & { readonly body?: string };

/** What one HTTP try came to. Holds nothing of the address, which may carry a secret. */
export type TryOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly body: Uint8Array;
      readonly headers: ReadonlyMap<string, string>;
    }
  | {
      readonly kind: "broken";
      /** The other side had closed the connection before it could answer anything. */
      readonly wasClosed: boolean;
      /** The code of what went wrong, such as `ECONNREFUSED` or `timeout`. */
      readonly error: string;
    }
  | { readonly kind: "too_large" };

export interface TryOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

/** Error codes of a connection that was gone when it was used. */
const closedCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/**
 * One call, bounded in time by the signal and in size. Never throws: what a source does is data.
 * Redirects are not followed, so that a secret in the address is sent to the configured host only.
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
    return { kind: "broken", wasClosed: closedCodes.has(codeOf(error)), error: wordFor(error) };
  }
  try {
    const body = await readBody(response, options.bytesMax);
    if (body === undefined) return { kind: "too_large" };
    const { status } = response;
    return { kind: "answered", status, body, headers: new Map(response.headers) };
  } catch (error) {
    return { kind: "broken", wasClosed: false, error: wordFor(error) };
  }
}

/** The body, counted after decompression; undefined when there is more than allowed. */
async function readBody(response: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the stream, so the rest is never received.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const codeForm = /^[A-Z][A-Z0-9_]{1,60}$/;

/** Never the message, which may hold an address. */
function wordFor(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError" || name === "AbortError") return "timeout";
  const code = codeOf(error);
  return typeof code === "string" && codeForm.test(code) ? code : "failed";
}

/** `fetch` puts what happened to the connection into the cause of its error. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
