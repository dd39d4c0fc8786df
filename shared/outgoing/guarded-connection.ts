import { request as plainRequest } from "node:http";
import { request as tlsRequest, type RequestOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";
import { bareHost } from "./url.ts";
import { attemptExchange, type Exchange, failed } from "./exchange-attempt.ts";
import { GuardedPlainAgent, GuardedTlsAgent } from "./guarded-agents.ts";

/** One HTTP request to an address that a customer chose. */
export interface ExchangeRequest {
  readonly url: URL;
  /** Path and query to send, if they differ from those of the URL. */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ConnectionOptions {
  readonly policy: AddressPolicy;
  /** Maximum number of body bytes to read. The socket is closed after them. */
  readonly answerBytesMax: number;
  /** DNS lookup. @default the system's; tests replace it */
  readonly lookup?: LookupFunction;
  /** Shorter limits, for tests. */
  readonly times?: ExchangeTimes;
  /** Trusted instead of the usual authorities, as PEM; for tests and benches. */
  readonly certificateAuthorities?: string;
  /** Maximum number of sockets. Further exchanges wait. @default 4 */
  readonly parallel?: number;
}

export interface ExchangeTimes {
  /** DNS lookup, connection and TLS handshake of a new socket together. */
  readonly connectMs: number;
  /** The whole exchange from the end of its wait for a socket. */
  readonly totalMs: number;
  /** Lifetime of an idle socket; less if the server requests it. @default 4 s */
  readonly idleMs?: number;
}

export interface GuardedConnection {
  /** Sends a request. Never rejects. After the status has arrived, an error of the body does not matter. */
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Closes all sockets. Exchanges in progress and later ones fail. */
  close(): void;
}

const exchangeTimes = { connectMs: 5_000, totalMs: 15_000, idleMs: 4_000 };
const parallelMax = 4;
const headerBytesMax = 16 * 1_024;

/**
 * Creates a connection to one host. It never connects to an address that the policy refuses: it checks
 * a literal host, every address of a DNS lookup, and the connected address before it sends anything.
 * Sockets are not shared with other connections. HTTP/1.1 without redirects.
 */
export function guardedConnection(options: ConnectionOptions): GuardedConnection {
  const { policy, parallel = parallelMax, answerBytesMax: bytesMax } = options;
  const { connectMs, totalMs, idleMs } = { ...exchangeTimes, ...options.times };
  const rules = { ...options, idleMax: parallel, idleMs, connectMs };
  const agents = { tls: new GuardedTlsAgent(rules), plain: new GuardedPlainAgent(rules) };
  const inTurn = turnTaking(parallel);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  const send = async (request: ExchangeRequest): Promise<Exchange> => {
    if (isClosed) return failed("connection_failed", false);
    const controller = new AbortController();
    underWay.add(controller);
    const limit = setTimeout(() => controller.abort("timeout"), totalMs);
    const attempt = (): Promise<Exchange | "stale"> =>
      attemptExchange(() => opened(request, agents), {
        body: request.body,
        bytesMax,
        signal: controller.signal,
      });
    try {
      const first = await attempt();
      if (first !== "stale") return first;
      // The other idle sockets may be stale too, so the second attempt uses a new one.
      closeIdle(agents);
      const second = await attempt();
      if (second === "stale") return failed("connection_failed", true);
      // The first attempt was sent on the stale socket, and the server may have processed it.
      return second.outcome === "failed" ? { ...second, sent: true } : second;
    } finally {
      clearTimeout(limit);
      underWay.delete(controller);
    }
  };

  return {
    exchange: async (request) =>
      isAllowed(request.url, policy)
        ? inTurn(() => send(request))
        : failed("address_refused", false),
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

function isAllowed({ protocol, hostname }: URL, policy: AddressPolicy): boolean {
  if (protocol !== "https:" && !(protocol === "http:" && policy.allowLoopback)) return false;
  const host = bareHost(hostname);
  return isIP(host) === 0 || policy.allows(host);
}

/** Creates the request from the parsed URL, so that no other parser reads the address. */
function opened({ url, path, method, headers, body }: ExchangeRequest, { tls, plain }: Agents) {
  const host = bareHost(url.hostname);
  const options: RequestOptions = {
    host,
    port: url.port,
    path: path ?? url.pathname + url.search,
    method,
    headers: { ...headers, "content-length": String(body.length) },
    maxHeaderSize: headerBytesMax,
    // The certificate must be valid for the URL's host, not for the header `Host`.
    servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "",
  };
  return url.protocol === "http:"
    ? plainRequest({ ...options, agent: plain })
    : tlsRequest({ ...options, agent: tls });
}

function closeIdle({ tls, plain }: Agents): void {
  for (const { freeSockets } of [tls, plain]) {
    for (const sockets of Object.values(freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

/** Runs at most `max` tasks in parallel. Further ones wait in order. */
function turnTaking(max: number) {
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
