import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface ApiCall {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The number of the call, from 1. */
  readonly number: number;
}

export type ApiReaction =
  | "hang"
  | "reset"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Strings and bytes are sent unchanged, other values as JSON. */
      readonly body?: unknown;
      readonly afterMs?: number;
    };

export interface ApiDouble {
  readonly url: string;
  readonly calls: ApiCall[];
  /** The highest number of calls that were handled at the same time. */
  atOnceMax(): number;
  stop(): Promise<void>;
}

/** Starts a local server in the role of an API with GET requests. `react` chooses its responses. */
export async function startApiDouble(react: (call: ApiCall) => ApiReaction): Promise<ApiDouble> {
  const calls: ApiCall[] = [];
  let inWork = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const { pathname: path, searchParams: query } = new URL(
      request.url ?? "/",
      "http://double.invalid",
    );
    const call = { path, query, headers: request.headers, number: calls.length + 1 };
    calls.push(call);
    inWork += 1;
    most = Math.max(most, inWork);
    response.once("close", () => {
      inWork -= 1;
    });
    const reaction = react(call);
    if (reaction === "hang") return;
    if (reaction === "reset") {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body = "", afterMs = 0 } = reaction;
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    void delay(afterMs).then(() => {
      response.writeHead(status, headers);
      response.end(isRaw ? body : JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    atOnceMax: () => most,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
