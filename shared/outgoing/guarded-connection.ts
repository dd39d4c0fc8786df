import { request as plainRequest } from "node:http";
import { request as tlsRequest, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";
import { bareHost } from "./url.ts";
import { attemptExchange, type Exchange, failedExchange } from "./exchange-attempt.ts";
import { GuardedPlainAgent, GuardedTlsAgent } from "./guarded-agents.ts";

/** One HTTP request to an address that a customer chose. */
export interface ExchangeRequest {
  readonly url: URL;
  /** Path and query to send. @default the path and query of the URL */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The options of a guarded connection. */
export interface ConnectionOptions {
  readonly policy: AddressPolicy;
  /** Maximum number of response body bytes to read. The socket is closed when they have arrived. */
  readonly answerBytesMax: number;
  /** DNS lookup. @default the system's lookup */
  readonly lookup?: LookupFunction;
  /** Time limits of the exchange. @default 5 s to connect, 15 s in total */
  readonly times?: ExchangeTimes;
  /**
   * Certificate authorities to trust, as PEM, for tests and benchmarks.
   * @default the authorities that Node.js trusts
   */
  readonly certificateAuthorities?: string;
  /** Maximum number of sockets. Further exchanges wait for a socket. @default 4 */
  readonly parallel?: number;
}

/** The time limits of an exchange. */
export interface ExchangeTimes {
  /** Maximum milliseconds for DNS lookup, connection and TLS handshake of a new socket together. */
  readonly connectMs: number;
  /** Maximum milliseconds for the whole exchange. The wait for a socket is not included. */
  readonly totalMs: number;
  /** Milliseconds until an idle socket is closed; the server may request fewer. @default 4,000 */
  readonly idleMs?: number;
}

/** Sends HTTP requests to one host, and only to addresses that the policy allows. */
export interface GuardedConnection {
  /**
   * Sends a request. Never rejects. If an error occurs after the status has arrived, the result is
   * the response with the part of the body that was read.
   */
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Closes all sockets. Exchanges in progress and later exchanges fail. */
  close(): void;
}

/** The default time limits of an exchange. */
export const exchangeTimes = { connectMs: 5_000, totalMs: 15_000, idleMs: 4_000 };
const parallelMax = 4;
const headerBytesMax = 16 * 1_024;

/**
 * Creates a connection to one host, with HTTP/1.1 and without redirects. The connection sends
 * nothing to an address that the policy refuses. It checks an IP address in the URL, every address
 * of a DNS lookup, and finally the address to which it has connected. The connection shares no
 * sockets with other connections.
 */
export function guardedConnection(options: ConnectionOptions): GuardedConnection {
  const { policy, parallel = parallelMax, answerBytesMax: bytesMax } = options;
  const { connectMs, totalMs, idleMs } = { ...exchangeTimes, ...options.times };
  const rules = { ...options, idleMax: parallel, idleMs, connectMs };
  const agents = { tls: new GuardedTlsAgent(rules), plain: new GuardedPlainAgent(rules) };
  const withinLimit = parallelLimit(parallel);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  const send = async (request: ExchangeRequest): Promise<Exchange> => {
    if (isClosed) return failedExchange("connection_failed", false);
    const controller = new AbortController();
    underWay.add(controller);
    const limit = setTimeout(() => controller.abort("timeout"), totalMs);
    const attempt = (): Promise<Exchange | "stale"> =>
      attemptExchange(() => openRequest(request, agents), {
        body: request.body,
        bytesMax,
        signal: controller.signal,
      });
    try {
      const first = await attempt();
      if (first !== "stale") return first;
      // The other idle sockets may be stale too. After they are closed, the second attempt uses a
      // new socket.
      closeIdle(agents);
      const second = await attempt();
      if (second === "stale") return failedExchange("connection_failed", true);
      // The first attempt was sent on the stale socket, so the server may have processed it.
      return second.outcome === "failed" ? { ...second, sent: true } : second;
    } finally {
      clearTimeout(limit);
      underWay.delete(controller);
    }
  };

  return {
    exchange: async (request) =>
      isAllowed(request.url, policy)
        ? withinLimit(() => send(request))
        : failedExchange("address_refused", false),
    close() {
      isClosed = true;
      for (const controller of underWay) controller.abort("closed");
      agents.tls.destroy();
      agents.plain.destroy();
    },
  };
}

interface Agents {
  readonly tls: GuardedTlsAgent;
  readonly plain: GuardedPlainAgent;
}

/**
 * Returns false for a URL whose scheme or IP address the policy refuses. Does not resolve names.
 */
function isAllowed({ protocol, hostname }: URL, policy: AddressPolicy): boolean {
  if (protocol !== "https:" && !(protocol === "http:" && policy.allowLoopback)) return false;
  const host = bareHost(hostname);
  return isIP(host) === 0 || policy.allows(host);
}

/**
 * Creates the request from the parsed URL. A second parser could find a different host in the text
 * of the URL.
 */
function openRequest(
  { url, path, method, headers, body }: ExchangeRequest,
  { tls, plain }: Agents,
) {
  const host = bareHost(url.hostname);
  const options: RequestOptions = {
    host,
    port: url.port,
    path: path ?? url.pathname + url.search,
    method,
    headers: { ...headers, "content-length": String(body.length) },
    maxHeaderSize: headerBytesMax,
    // The certificate must be valid for the host of the URL, not for the header `Host`.
    servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "",
  };
  return url.protocol === "http:"
    ? plainRequest({ ...options, agent: plain })
    : tlsRequest({ ...options, agent: tls });
}

/** Closes the idle sockets of both agents. */
function closeIdle({ tls, plain }: Agents): void {
  for (const { freeSockets } of [tls, plain]) {
    for (const sockets of Object.values(freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/**
 * Creates a function that runs at most `max` tasks in parallel. Other tasks wait in the order of
 * their calls.
 */
function parallelLimit(max: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running === max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
