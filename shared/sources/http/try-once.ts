/** What one HTTP try came to. Holds nothing of the address, which may carry a secret. */
export type TryOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly text: string;
      readonly retryAfter: string | null;
    }
  /** No whole answer: no connection, cut off, or not in time. */
  | { readonly kind: "broken" }
  /** The answer is longer than anything this source could have to say. */
  | { readonly kind: "too_large" };

export interface TryOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

/**
 * One GET, bounded in time and size. Never throws: what a source does is data. Redirects are not
 * followed, so that a secret in the address is sent to the configured host only.
 */
export async function tryOnce(url: URL, options: TryOptions): Promise<TryOutcome> {
  const { headers, timeoutMs, bytesMax } = options;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { headers, signal, redirect: "manual" });
    const text = await readText(response, bytesMax);
    if (text === undefined) return { kind: "too_large" };
    const retryAfter = response.headers.get("retry-after");
    return { kind: "answered", status: response.status, text, retryAfter };
  } catch {
    return { kind: "broken" };
  }
}

/** The body as text, counted after decompression; undefined when there is more than allowed. */
async function readText(response: Response, bytesMax: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the stream, so the rest is never received.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
