import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface PageCall {
  /** The path with its query. */
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly at: number;
}

export type PageReaction =
  | "hang"
  | "reset"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      readonly afterMs?: number;
    };

export interface ShopDouble {
  readonly url: string;
  readonly port: number;
  readonly calls: PageCall[];
  /** Paths of all requests except robots.txt. */
  pages(): string[];
  /** Number of requests for robots.txt. */
  robotsCalls(): number;
  stop(): Promise<void>;
}

/**
 * Starts a shop over real HTTP. `react` chooses the response to a request; `number` counts the
 * requests for its path from 1. If `react` returns undefined, the shop responds with 404.
 */
export async function startShop(
  react: (call: PageCall, number: number) => PageReaction | undefined,
): Promise<ShopDouble> {
  const calls: PageCall[] = [];
  const server = createServer((request, response) => {
    const { url: path = "/", headers } = request;
    const call = { path, host: headers.host ?? "", headers, at: Date.now() };
    calls.push(call);
    const number = calls.filter((other) => other.path === path).length;
    const reaction = react(call, number) ?? { status: 404 };
    if (reaction === "hang") return;
    if (reaction === "reset") request.socket.destroy();
    else void send(response, reaction);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const isRobots = ({ path }: PageCall): boolean => path === "/robots.txt";
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    pages: () => calls.filter((call) => !isRobots(call)).map(({ path }) => path),
    robotsCalls: () => calls.filter(isRobots).length,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function send(
  response: ServerResponse,
  { status = 200, headers, body = "", afterMs = 0 }: Exclude<PageReaction, string>,
): Promise<void> {
  await delay(afterMs);
  response.writeHead(status, { "Content-Type": "text/html; charset=utf-8", ...headers });
  response.end(body);
}
