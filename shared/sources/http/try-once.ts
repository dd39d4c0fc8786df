import type { SourceCall } from "./source-client.ts";

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
export async function tryOnce(call: SourceCall, options: TryOptions): Promise<TryOutcome> {
  let response: Response;
  try {
    response = await fetch(call.url, {
      method: call.method,
      headers: { ...options.headers, ...call.headers },
      ...(call.body !== undefined && { body: call.body }),
      signal: options.signal,
      redirect: "manual",
    });
  } catch (error) {
    return { kind: "broken", wasClosed: closedCodes.has(codeOf(error)) };
  }
  try {
    const body = await readBody(response, options.bytesMax);
    if (body === undefined) return { kind: "too_large" };
    const { status } = response;
    return { kind: "answered", status, body, headers: new Map(response.headers) };
  } catch {
    return { kind: "broken", wasClosed: false };
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

/** `fetch` puts what happened to the connection into the cause of its error. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
