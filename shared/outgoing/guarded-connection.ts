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
  /** Path and query as they go on the wire, when they differ from the URL's. */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ConnectionOptions {
  readonly policy: AddressPolicy;
  /** The answer's body is read so far, and the socket closed then. */
  readonly answerBytesMax: number;
  /** Name lookup, the system's unless a test gives another. */
  readonly lookup?: LookupFunction;
  /** Shorter limits, for tests. */
  readonly times?: ExchangeTimes;
  /** Trusted instead of the usual authorities, as PEM; for tests and benches. */
  readonly certificateAuthorities?: string;
  /** Sockets at most, 4 unless given; exchanges beyond wait for their turn. */
  readonly parallel?: number;
}

export interface ExchangeTimes {
  /** Name lookup, connection and TLS together, whenever a new socket is made. */
  readonly connectMs: number;
  /** The whole exchange from its turn on, whatever trickles in. */
  readonly totalMs: number;
  /** How long an unused socket stays open; 4 s unless given, less if the server says so. */
  readonly idleMs?: number;
}

export interface GuardedConnection {
  /** Never rejects. A status that arrived counts, whatever happens to the body after it. */
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Closes every socket: what is under way fails, and so does every exchange after it. */
  close(): void;
}

const exchangeTimes = { connectMs: 5_000, totalMs: 15_000, idleMs: 4_000 };
const parallelMax = 4;
const headerBytesMax = 16 * 1_024;

/**
 * Keeps sockets open to one target, never to an address that the policy refuses: literal hosts are
 * checked before, every answer of a name lookup in between, and the connected address before
 * anything is sent. Nothing else uses its sockets. Speaks HTTP/1.1 and follows no redirects.
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
    const ending = new AbortController();
    underWay.add(ending);
    const limit = setTimeout(() => ending.abort("timeout"), totalMs);
    const attempt = (): Promise<Exchange | "stale"> =>
      attemptExchange(() => opened(request, agents), {
        body: request.body,
        bytesMax,
        ending: ending.signal,
      });
    try {
      const first = await attempt();
      if (first !== "stale") return first;
      // The idle rest may be as stale: the second attempt gets a socket of its own.
      closeIdle(agents);
      const second = await attempt();
      if (second === "stale") return failed("connection_failed", true);
      // The first one left on the stale socket, and may have been taken.
      return second.outcome === "failed" ? { ...second, sent: true } : second;
    } finally {
      clearTimeout(limit);
      underWay.delete(ending);
    }
  };

  return {
    exchange: async (request) =>
      isAllowed(request.url, policy)
        ? inTurn(() => send(request))
        : failed("address_refused", false),
    close() {
      isClosed = true;
      for (const ending of underWay) ending.abort("closed");
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

/** A request spelled out from the parsed URL, so that nothing parses the address again. */
function opened({ url, path, method, headers, body }: ExchangeRequest, { tls, plain }: Agents) {
  const host = bareHost(url.hostname);
  const options: RequestOptions = {
    host,
    port: url.port,
    path: path ?? url.pathname + url.search,
    method,
    headers: { ...headers, "content-length": String(body.length) },
    maxHeaderSize: headerBytesMax,
    // The certificate must name the URL's host, whatever a header says.
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

/** Lets so many tasks run at once, and the others wait in order. */
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
