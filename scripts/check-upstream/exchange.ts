/** Sends the calls of the conformance check. */

/** A complete reply of the server. */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly headers: Headers;
  /** The body after decompression. */
  readonly body: Uint8Array;
  readonly milliseconds: number;
}

/** A reply, or the reason why no complete reply arrived. */
export type CallOutcome =
  | Answered
  | { readonly kind: "none"; readonly reason: string; readonly milliseconds: number };

/** The server to check, and how to call it. */
export interface Server {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  readonly secret: string | undefined;
  /** The milliseconds to wait for a complete reply. */
  readonly timeoutMs: number;
}

/** A call to send to the server. */
export interface Call {
  readonly path: "/read" | "/capabilities";
  /**
   * The body. An object is sent as JSON, and text or bytes are sent unchanged. If it is absent, the
   * call is a GET.
   */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bearer token to send instead of the server's secret; null to send none. */
  readonly secret?: string | null;
}

const bodyBytesMax = 5 * 1024 * 1024;
const busyTriesMax = 3;
const retryWaitMsMax = 10_000;

/**
 * Sends one call and returns the reply. Returns the reason instead if no complete reply arrives in
 * time, or if the body is larger than 5 MB. Never rejects.
 */
export async function send(server: Server, call: Call): Promise<CallOutcome> {
  const startedAt = performance.now();
  const spent = (): number => Math.round(performance.now() - startedAt);
  const secret = call.secret === undefined ? server.secret : call.secret;
  try {
    const response = await fetch(server.baseUrl + call.path, {
      method: call.body === undefined ? "GET" : "POST",
      headers: {
        Accept: "application/json",
        "Accept-Encoding": "gzip, deflate, br",
        "X-Request-Id": `check_${crypto.randomUUID()}`,
        ...(call.body !== undefined && { "Content-Type": "application/json" }),
        ...(typeof secret === "string" && { Authorization: `Bearer ${secret}` }),
        ...call.headers,
      },
      ...(call.body !== undefined && { body: bodyOf(call.body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(server.timeoutMs),
    });
    const body = await readAll(response);
    if (body === null)
      return { kind: "none", reason: "a body of more than 5 MB", milliseconds: spent() };
    const { status, headers } = response;
    return { kind: "answered", status, headers, body, milliseconds: spent() };
  } catch (error) {
    return { kind: "none", reason: reasonOf(error, server), milliseconds: spent() };
  }
}

/** The last reply to a repeated call, with the refusals before it. */
export interface Patient {
  readonly seen: CallOutcome;
  /** The `Retry-After` header of each refusal, or null for a refusal without this header. */
  readonly turnedAway: readonly (string | null)[];
}

/**
 * Sends a call, and repeats it up to three times while the server returns 429 or 503. Waits before
 * each repeat as long as `Retry-After` demands: at most 10 s, and 1 s without the header. Returns
 * the last reply and the headers of the refusals.
 */
export async function sendPatiently(server: Server, call: Call): Promise<Patient> {
  const turnedAway: (string | null)[] = [];
  for (;;) {
    const seen = await send(server, call);
    const isBusy = seen.kind === "answered" && (seen.status === 429 || seen.status === 503);
    if (!isBusy || turnedAway.length >= busyTriesMax) return { seen, turnedAway };
    const asked = seen.headers.get("retry-after");
    turnedAway.push(asked);
    const waitMs = Number(asked ?? 1) * 1_000 || Date.parse(asked ?? "") - Date.now();
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(retryWaitMsMax, Math.max(0, waitMs || 0))),
    );
  }
}

/** Describes a reply in a few words: its status, or the reason why no complete reply arrived. */
export const summary = (seen: CallOutcome): string =>
  seen.kind === "answered" ? `status ${seen.status}` : seen.reason;

const bodyOf = (body: object | string | Buffer): string | Buffer<ArrayBuffer> =>
  typeof body === "string"
    ? body
    : Buffer.isBuffer(body)
      ? Buffer.from(body)
      : JSON.stringify(body);

async function readAll(response: Response): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream, so the rest is not downloaded.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown, { timeoutMs }: Server): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `no complete reply within ${timeoutMs / 1_000} s`;
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `no reply: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/**
 * Parses the body of a reply as JSON. Returns undefined if there is no reply, or if the body is not
 * JSON.
 */
export function jsonOf(seen: CallOutcome): unknown {
  try {
    return seen.kind === "answered" ? JSON.parse(new TextDecoder().decode(seen.body)) : undefined;
  } catch {
    return undefined;
  }
}
