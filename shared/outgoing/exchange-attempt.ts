import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { SendFailure } from "./sender.ts";

/** The result of an HTTP request: the response, or the reason why there is none. */
export type Exchange =
  | {
      readonly outcome: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /**
       * The part of the body that was read. It is not complete after an error or at the maximum.
       */
      readonly body: Uint8Array;
    }
  | {
      readonly outcome: "failed";
      readonly error: SendFailure;
      /** True if the request may have been sent. */
      readonly sent: boolean;
    };

/** The body of a request, and the limits of its response. */
export interface AttemptOptions {
  readonly body: Uint8Array;
  /** Maximum number of body bytes to read. */
  readonly bytesMax: number;
  /**
   * Aborts the attempt. With the abort reason "timeout", the failure is `timeout`; with any other
   * reason, it is `connection_failed`.
   */
  readonly signal: AbortSignal;
}

/** Maximum number of interim responses (1xx) to one request. */
const interimMax = 16;

/**
 * Builds the result of a request that got no response.
 * @param sent true if the receiver may have received the request
 */
export const failedExchange = (error: SendFailure, sent: boolean): Exchange => ({
  outcome: "failed",
  error,
  sent,
});

/**
 * Sends a request once, reads the response, and returns the result. Keeps the socket open only if
 * request and response are complete. Never rejects: a failure is a result. Returns `stale` if a
 * reused socket fails before the first byte of the response. The server has then probably closed
 * the idle socket, so the caller can repeat the request on a new socket.
 * @param open creates the request, without sending it
 */
export function attemptExchange(
  open: () => ClientRequest,
  { body, bytesMax, signal }: AttemptOptions,
): Promise<Exchange | "stale"> {
  // The caller may abort the signal between the attempt on a stale socket and its repetition.
  if (signal.aborted) return Promise.resolve(endedBy(signal, false));
  return new Promise((resolve) => {
    const outgoing = openedOrNull(open);
    if (outgoing === null) return resolve(failedExchange("connection_failed", false));
    const mayBeSent = sentCheck(outgoing);
    let answer: (() => Exchange) | undefined;
    const settle = (exchange: Exchange | "stale", keepsSocket = false): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(exchange);
      if (!keepsSocket) outgoing.destroy();
    };
    // Once the status has arrived, an error during the read of the body does not change the result.
    const onAbort = (): void => settle(answer?.() ?? endedBy(signal, mayBeSent()));
    signal.addEventListener("abort", onAbort);
    const isStale = staleCheck(outgoing);
    outgoing.on("error", (error) => {
      settle(answer?.() ?? (isStale() ? "stale" : failedExchange(failureOf(error), mayBeSent())));
    });
    outgoing.on("upgrade", (response) => settle(answeredExchange(response, [])));
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const soFar = (): Exchange => answeredExchange(response, chunks, bytesMax);
      answer = soFar;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= bytesMax) settle(soFar());
      });
      response.on("error", () => settle(soFar()));
      response.on("end", () => settle(soFar(), outgoing.writableFinished));
    });
    limitInterim(outgoing);
    outgoing.end(body);
  });
}

/**
 * Opens a request. Returns null if Node.js rejects it, for example for a header that is invalid in
 * HTTP.
 */
function openedOrNull(open: () => ClientRequest): ClientRequest | null {
  try {
    return open();
  } catch {
    return null;
  }
}

/**
 * Creates a function that returns true while the request uses a reused socket on which no byte has
 * arrived yet.
 */
function staleCheck(outgoing: ClientRequest): () => boolean {
  let hasResponse = false;
  outgoing.on("socket", (socket) => {
    socket.once("data", () => {
      hasResponse = true;
    });
  });
  return () => outgoing.reusedSocket && !hasResponse;
}

/**
 * Creates a function that returns true once the request may have been sent. Node.js writes a
 * request as soon as it has a connected socket.
 */
function sentCheck(outgoing: ClientRequest): () => boolean {
  let mayBeSent = false;
  outgoing.on("socket", (socket) => {
    if (outgoing.reusedSocket) {
      // A reused socket is already connected. A listener for its connection would never be called,
      // and would stay until the socket closes.
      mayBeSent = true;
      return;
    }
    const ready = socket instanceof TLSSocket ? "secureConnect" : "connect";
    // If the policy refuses the address of a connected socket, the agent destroys the socket before
    // this event.
    socket.once(ready, () => {
      mayBeSent = !socket.destroyed;
    });
  });
  return () => mayBeSent;
}

/** Fails a request to which the server sends more than `interimMax` interim responses. */
function limitInterim(outgoing: ClientRequest): void {
  let interim = 0;
  outgoing.on("information", () => {
    interim += 1;
    if (interim > interimMax) {
      outgoing.destroy(
        new Error(
          `The server must send at most ${interimMax} interim responses (1xx) to a request (got ${interim}). Correct the server.`,
        ),
      );
    }
  });
}

const answeredExchange = (
  { statusCode: status = 0, headers }: IncomingMessage,
  chunks: readonly Buffer[],
  bytesMax = 0,
): Exchange => {
  const body = Buffer.concat(chunks).subarray(0, bytesMax);
  return { outcome: "answered", status, headers, body };
};

const endedBy = ({ reason }: AbortSignal, sent: boolean): Exchange =>
  failedExchange(reason === "timeout" ? "timeout" : "connection_failed", sent);

const failures: readonly (readonly [RegExp, SendFailure])[] = [
  [/^ADDRESS_REFUSED$/, "address_refused"],
  [/^CONNECT_TIMEOUT$/, "connect_timeout"],
  [/^(?:ENOTFOUND$|EAI_)/, "name_not_resolved"],
  [/^(?:ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|CRL_|UNABLE_|DEPTH_ZERO|SELF_SIGNED)/, "tls_failed"],
  [/^(?:HOSTNAME|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|ERROR_IN_CERT)/, "tls_failed"],
];

/**
 * Returns the kind of send failure that an error of Node.js means; `connection_failed` for an
 * unknown error.
 */
export function failureOf(error: Error): SendFailure {
  const code = "code" in error ? String(error.code) : "";
  return failures.find(([codes]) => codes.test(code))?.[1] ?? "connection_failed";
}
