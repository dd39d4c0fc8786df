import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";

/** An HTTP server on the loopback address. */
export interface LocalServer {
  readonly url: string;
  readonly port: number;
  /** Stops the server and closes all connections. */
  close(): Promise<void>;
}

const portAttemptsMax = 100;
/**
 * The milliseconds that the server keeps an idle connection. Clients keep a connection for less
 * time (httpx: 5 s). The default of Node.js is also 5 s. With this default, a busy client could
 * send a call on a connection that the server is closing, and get no response.
 */
const keepAliveMs = 60_000;

/**
 * Starts an HTTP server on loopback at `port`. If the port is in use, tries the next 99 ports. Port
 * 0 means any free port.
 * @param remedy end of the error message: how the user chooses another port
 * @throws Error if all tried ports are in use
 */
export async function serveFrom(
  port: number,
  listener: RequestListener,
  remedy = "Choose another port.",
): Promise<LocalServer> {
  for (let attempt = 0; attempt < portAttemptsMax; attempt += 1) {
    const served = await tryServe(port === 0 ? 0 : port + attempt, listener);
    if (served) return served;
  }
  throw new Error(`All ports from ${port} to ${port + portAttemptsMax - 1} are taken. ${remedy}`);
}

/**
 * Starts an HTTP server at the port of the previous start, or at any free port if that port is in
 * use. Stored addresses, such as webhook URLs and bucket endpoints, therefore stay valid after a
 * restart.
 * @param name name under which the data folder stores the port
 */
export async function serveAtPreviousPort(
  folder: DataFolder,
  name: string,
  listener: RequestListener,
): Promise<LocalServer> {
  const server =
    (await tryServe(previousPort(folder, name), listener)) ?? (await serveFrom(0, listener));
  rememberPort(folder, name, server.port);
  return server;
}

/**
 * Creates a listener whose handler is set later by `open`. Until then, and after `close`, the
 * listener responds with 503. A world needs such a listener, because functions need the endpoints'
 * addresses at their start, and some endpoints need the functions.
 */
export function deferredListener(): {
  listener: RequestListener;
  open: (to: RequestListener) => void;
  close: () => void;
} {
  let target = notYet;
  return {
    listener: (request, response) => target(request, response),
    open(to) {
      target = to;
    },
    close() {
      target = notYet;
    },
  };
}

const notYet: RequestListener = (_request, response) => {
  response.writeHead(503);
  response.end();
};

const portsFile = "ports.json";
const ports = v.record(v.string(), v.number());

/**
 * Returns the port that a server had at the previous start; 0 if the data folder has none.
 * @param name name under which the data folder stores the port
 */
export function previousPort(folder: DataFolder, name: string): number {
  return folder.read(portsFile, ports)?.[name] ?? 0;
}

/** Stores the port of a server in the data folder, for `previousPort`. */
export function rememberPort(folder: DataFolder, name: string, port: number): void {
  folder.write(portsFile, { ...folder.read(portsFile, ports), [name]: port });
}

async function tryServe(port: number, listener: RequestListener): Promise<LocalServer | null> {
  const server = createServer(listener);
  server.keepAliveTimeout = keepAliveMs;
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (isPortTaken(error)) return null;
    throw error;
  }
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  return { url: `http://127.0.0.1:${bound}`, port: bound, close: async () => closeServer(server) };
}

/** Returns true for the error that a port is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/**
 * Returns the body of a request; null if it is larger than `bytesMax`. Reads a larger body to its
 * end, because most clients read the response only after they have sent the whole body.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) chunks.length = 0;
    else chunks.push(chunk);
  }
  return bytes > bytesMax ? null : Buffer.concat(chunks);
}

/**
 * The size limit of a JSON body. It is above the size of every valid request to a local endpoint.
 */
const jsonBytesMax = 1024 * 1024;

/**
 * Parses a JSON body. Returns an empty object for an empty body.
 * @throws Error if the body is larger than 1 MB; SyntaxError if it is not JSON
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, jsonBytesMax);
  if (!body)
    throw new Error(
      `The request body must have at most ${jsonBytesMax} bytes. Send a smaller one.`,
    );
  return body.length === 0 ? {} : JSON.parse(body.toString());
}
