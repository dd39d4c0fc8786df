import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** A response; `cut` closes the connection without a response. */
export type ScriptedAnswer =
  | "cut"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };

/** Starts a server whose responses `answer` chooses. `n` counts the calls from 0. */
export async function startScriptedService(
  answer: (call: ReceivedCall, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>,
) {
  const calls: ReceivedCall[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method = "", url = "", headers } = request;
    const call = { method, url, headers, body: body === "" ? undefined : JSON.parse(body) };
    calls.push(call);
    const chosen = await answer(call, calls.length - 1);
    if (chosen === "cut") {
      request.socket.destroy();
      return;
    }
    response.writeHead(chosen.status ?? 200, chosen.headers).end(JSON.stringify(chosen.body ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Returns an error response of the service. */
export const failure = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedAnswer => ({
  status,
  headers: { "x-request-id": "req_1", ...headers },
  body: {
    error: { code, message: `The call failed with ${code}.`, param: "name", docs: "/docs" },
  },
});
