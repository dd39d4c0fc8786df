import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from "node:tls";
import { vi } from "vitest";
import type { ReceivedRequest } from "./receiver.ts";
import { trusted } from "./test-certificates.ts";

export interface TlsReceiver {
  readonly url: string;
  readonly port: number;
  /** Every request that wholly arrived, in order. */
  readonly requests: ReceivedRequest[];
  /** Connections accepted so far, whether or not TLS or a request came. */
  readonly connections: () => number;
  /** Connections open now. */
  readonly open: () => number;
  /** Answers a request once it has wholly arrived, in whatever bytes. */
  answer: (socket: TLSSocket, request: ReceivedRequest) => void;
  /** Does something as soon as a request's header is there. */
  atHeader: (socket: TLSSocket) => void;
  stop: () => Promise<void>;
}

/** An answer as it goes over the wire, with a length unless the headers say something else. */
export function wire(status: number | string, headers: Record<string, string> = {}, body = "") {
  const length = { "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} Said`, ...lines, "", body].join("\r\n");
}

/** A receiver on loopback that does over TLS exactly what a test scripts, byte by byte. */
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

/** A server below TLS and HTTP, for what goes wrong there. */
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

/** Reads one request after another, each with a length. */
function readRequests(socket: TLSSocket, receiver: TlsReceiver): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** What has to be there before anything can be read. */
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

/** Waits until a check passes, on a machine as busy as may be. */
export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 30_000, interval: 5 });
