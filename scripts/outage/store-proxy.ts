import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/**
 * The behavior of the store. `killed` refuses connections. `hanging` accepts requests but does not
 * respond. `hanging after the key check` responds only to the check of an API key. `hanging at the
 * charge` responds to all requests before the first charge. `slow` responds to each request after a
 * delay.
 */
export type StoreMode =
  | "healthy"
  | "killed"
  | "hanging"
  | "hanging after the key check"
  | "hanging at the charge"
  | "slow";

/** A proxy in front of DynamoDB that can fail in several ways. */
export interface StoreProxy {
  readonly url: string;
  /**
   * Changes the mode. When the store is healthy again, the requests without a response take effect,
   * as they do when a suspended process continues after SIGCONT.
   */
  set(mode: StoreMode): Promise<void>;
  /** Returns the number of requests that wait for a response. */
  held(): number;
  stop(): Promise<void>;
}

interface HeldRequest {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

/**
 * Starts a proxy in front of a DynamoDB endpoint.
 * @param slowMs the delay of each response in the mode `slow`, in milliseconds
 */
export async function startStoreProxy(target: string, slowMs: number): Promise<StoreProxy> {
  const to = new URL(target);
  let mode: StoreMode = "healthy";
  let held: HeldRequest[] = [];
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    if (mode === "hanging at the charge" && isCharge(request, body)) mode = "hanging";
    if (mode === "slow") await delay(slowMs);
    const isHeld =
      mode === "hanging" || (mode === "hanging after the key check" && !isKeyCheck(request, body));
    if (isHeld) held.push({ request, body, response });
    else await forward(to, { request, body, response });
  };
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async set(wanted) {
      mode = wanted;
      if (wanted === "killed") return close();
      if (!server.listening) await listen(port);
      if (wanted !== "healthy") return;
      const waiting = held;
      held = [];
      // Forwards requests even if their clients have disconnected, because a real store would also
      // execute them.
      for (const one of waiting) await forward(to, one).catch(() => one.response.destroy());
    },
    held: () => held.length,
    stop: close,
  };
}

const operationOf = ({ headers }: IncomingMessage): string =>
  String(headers["x-amz-target"]).split(".").at(-1) ?? "";

/** Returns true for the settlement of a call's hold, which adds a record to the journal of a shard. */
const isCharge = (request: IncomingMessage, body: Buffer): boolean =>
  operationOf(request) === "UpdateItem" && body.includes('"t":{"S":"s"}');

/** Returns true for the check of an API key, which writes or reads the row of the key. */
const isKeyCheck = (request: IncomingMessage, body: Buffer): boolean =>
  ["GetItem", "UpdateItem"].includes(operationOf(request)) && body.includes('"pk":{"S":"key#');

/** A new connection for each request, because the store may close idle connections at any time. */
const agent = new Agent({ keepAlive: false });

async function forward(to: URL, { request, body, response }: HeldRequest): Promise<void> {
  const { method, url: path, headers } = request;
  const sent = httpRequest({ agent, host: to.hostname, port: to.port, method, path, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const bytes = await buffer(answer);
  if (response.destroyed) return;
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.end(bytes);
}
