import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** All received requests, in order. */
  readonly requests: ReceivedRequest[];
  /** Returns the number of accepted connections. A connection may have sent no request. */
  readonly connections: () => number;
  /** Responds to a request. A test may replace this function at any time. */
  answer: (response: ServerResponse, request: ReceivedRequest) => void;
  stop(): Promise<void>;
}

/** Starts a webhook receiver on loopback. It responds with 200 until a test replaces `answer`. */
export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(received);
      receiver.answer(response, received);
    });
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    requests,
    connections: () => connections,
    answer: (response) => response.end("ok"),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
