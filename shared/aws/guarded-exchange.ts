import { lookup as systemLookup } from "node:dns";
import { type ClientRequest, type IncomingHttpHeaders, request as plainRequest } from "node:http";
import { request as tlsRequest, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import type { SendFailure } from "../webhooks/sender.ts";
import { bareHost } from "../outgoing/url.ts";

/** One HTTP request to an address that a customer chose. */
export interface ExchangeRequest {
  readonly url: URL;
  /** Path and query as they go on the wire, when they differ from the URL's. */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ExchangeOptions {
  readonly policy: AddressPolicy;
  /** The answer's body is read so far, and the connection closed then. */
  readonly answerBytesMax: number;
  /** Name lookup, the system's unless a test gives another. */
  readonly lookup?: LookupFunction;
  /** Shorter limits, for tests. */
  readonly times?: ExchangeTimes;
}

export interface ExchangeTimes {
  /** Name lookup, connection and TLS together. */
  readonly connectMs: number;
  /** The whole exchange, whatever trickles in. */
  readonly totalMs: number;
}

export type Exchange =
  | {
      readonly outcome: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Uint8Array;
    }
  | { readonly outcome: "failed"; readonly error: SendFailure };

const exchangeTimes: ExchangeTimes = { connectMs: 5_000, totalMs: 15_000 };
const headerBytesMax = 16 * 1_024;

/**
 * Sends one request, never to an address that the policy refuses: literal hosts are checked before,
 * every answer of the name lookup in between, and the connected address before anything is sent.
 * Follows no redirects, shares no connections, and never rejects.
 */
export function guardedExchange(
  request: ExchangeRequest,
  options: ExchangeOptions,
): Promise<Exchange> {
  const host = bareHost(request.url.hostname);
  if (isIP(host) !== 0 && !options.policy.allows(host)) {
    return Promise.resolve({ outcome: "failed", error: "address_refused" });
  }
  const { connectMs, totalMs } = options.times ?? exchangeTimes;
  return new Promise((resolve) => {
    let outgoing: ClientRequest | undefined;
    const timers = {
      connect: setTimeout(() => settle({ outcome: "failed", error: "connect_timeout" }), connectMs),
      total: setTimeout(() => settle({ outcome: "failed", error: "timeout" }), totalMs),
    };
    const settle = (exchange: Exchange): void => {
      clearTimeout(timers.connect);
      clearTimeout(timers.total);
      resolve(exchange);
      outgoing?.destroy();
    };
    try {
      outgoing = openRequest(request, options);
    } catch {
      settle({ outcome: "failed", error: "connection_failed" });
      return;
    }
    outgoing.on("error", (error) => settle({ outcome: "failed", error: failureOf(error) }));
    watchConnection(outgoing, options, () => clearTimeout(timers.connect));
    readAnswer(outgoing, options.answerBytesMax, settle);
    outgoing.end(request.body);
  });
}

function openRequest(
  { url, path, method, headers, body }: ExchangeRequest,
  { policy, lookup = systemLookup }: ExchangeOptions,
): ClientRequest {
  const options: RequestOptions = {
    method,
    headers: { ...headers, "content-length": String(body.length) },
    agent: false,
    maxHeaderSize: headerBytesMax,
    minVersion: "TLSv1.2",
    lookup: guardedLookup(policy, lookup),
    ...(path === undefined ? {} : { path }),
  };
  return url.protocol === "http:" && policy.allowLoopback
    ? plainRequest(url, options)
    : tlsRequest(url, options);
}

class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
}

/** Refuses a name when any of its addresses is refused. */
function guardedLookup(policy: AddressPolicy, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "");
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => policy.allows(address))) {
        return callback(new AddressRefused(), "");
      }
      return options.all === true
        ? callback(null, addresses)
        : callback(null, first.address, first.family);
    });
  };
}

/** Covers whatever way a connection was made, literal hosts included. */
function watchConnection(
  outgoing: ClientRequest,
  { policy }: ExchangeOptions,
  connected: () => void,
): void {
  outgoing.on("socket", (socket) => {
    socket.prependOnceListener("connect", () => {
      if (!policy.allows(socket.remoteAddress ?? "")) outgoing.destroy(new AddressRefused());
    });
    socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
  });
}

function readAnswer(
  outgoing: ClientRequest,
  bytesMax: number,
  settle: (exchange: Exchange) => void,
): void {
  outgoing.on("response", (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const answer = (): void => {
      const body = Buffer.concat(chunks).subarray(0, bytesMax);
      const { statusCode: status = 0, headers } = response;
      settle({ outcome: "answered", status, headers, body });
    };
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= bytesMax) answer();
    });
    // The status has arrived: what happens to the rest of the body does not change it.
    response.on("end", answer).on("error", answer);
  });
}

function failureOf(error: Error): SendFailure {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ADDRESS_REFUSED") return "address_refused";
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) return "name_not_resolved";
  return /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME)/.test(code)
    ? "tls_failed"
    : "connection_failed";
}
