import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from "node:tls";
import { vi } from "vitest";
import type { ReceivedRequest } from "./receiver.ts";
import { trusted } from "./test-certificates.ts";

export interface TlsReceiver {
  readonly url: string;
  readonly port: number;
  /** All requests that were received completely, in order. */
  readonly requests: ReceivedRequest[];
  /**
   * Returns the number of accepted connections, including those without a TLS handshake or a
   * request.
   */
  readonly connections: () => number;
  /** Returns the number of open connections. */
  readonly open: () => number;
  /** Writes the response to a complete request, as raw bytes. */
  answer: (socket: TLSSocket, request: ReceivedRequest) => void;
  /** Called when the header of a request is complete, before its body. */
  atHeader: (socket: TLSSocket) => void;
  stop: () => Promise<void>;
}

/** Formats an HTTP response. Adds a Content-Length unless `headers` contains one. */
export function wire(status: number | string, headers: Record<string, string> = {}, body = "") {
  const length = { "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} Answered`, ...lines, "", body].join("\r\n");
}

/**
 * Starts a TLS receiver on loopback. It responds with 200 until a test replaces `answer`. The test
 * determines every byte of the response.
 */
export async function startTlsReceiver(options: TlsOptions = trusted): Promise<TlsReceiver> {
  const server = createTlsServer(options, (socket) => {
    socket.on("error", () => {});
    readRequests(socket, receiver);
  });
  server.on("tlsClientError", () => {});
  const { port, connections, open, stop } = await listening(server);
  const receiver: TlsReceiver = {
    url: `https://localhost:${port}/hook`,
    port,
    requests: [],
    connections,
    open,
    answer: (socket) => socket.write(wire(200, {}, "ok")),
    atHeader: () => {},
    stop,
  };
  return receiver;
}

/**
 * Starts a TCP server on loopback, for tests of failures below TLS and HTTP. Its `stop` closes all
 * connections.
 */
export async function startTcpServer(accept: (socket: Socket) => void) {
  return listening(
    createServer((socket) => {
      socket.on("error", () => {});
      accept(socket);
    }),
  );
}

async function listening(server: ReturnType<typeof createServer>) {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections: () => accepted,
    open: () => sockets.size,
    stop: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the requests of a connection in sequence. Each request must have a Content-Length. */
function readRequests(socket: TLSSocket, receiver: TlsReceiver): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** The number of bytes that must have arrived before the buffer is parsed again. */
  let wanted = 1;
  let seenHeader = false;
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const read = Buffer.concat(chunks);
      chunks = [read];
      const end = read.indexOf("\r\n\r\n");
      if (end < 0) return;
      const { method, path, headers } = headerOf(read.subarray(0, end).toString("latin1"));
      if (!seenHeader) receiver.atHeader(socket);
      seenHeader = true;
      wanted = end + 4 + Number(headers["content-length"] ?? 0);
      if (bytes < wanted) return;
      const request = { method, path, headers, body: read.subarray(end + 4, wanted).toString() };
      chunks = [read.subarray(wanted)];
      bytes -= wanted;
      wanted = 1;
      seenHeader = false;
      receiver.requests.push(request);
      receiver.answer(socket, request);
    }
  });
}

function headerOf(text: string) {
  const [start = "", ...lines] = text.split("\r\n");
  const [method = "", path = ""] = start.split(" ");
  const headers: Record<string, string> = Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...rest] = line.split(": ");
      return [name.toLowerCase(), rest.join(": ")];
    }),
  );
  return { method, path, headers };
}

/**
 * Waits until `check` does not throw, at most two minutes, which is enough on a busy machine. After
 * that, rejects with the last error of `check`.
 */
export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 120_000, interval: 5 });
