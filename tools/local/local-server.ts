import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";

export interface LocalServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const portAttemptsMax = 100;

/** Serves on loopback at `port` or the next free one above it; 0 takes any free port. */
export async function serveFrom(port: number, listener: RequestListener): Promise<LocalServer> {
  for (let attempt = 0; attempt < portAttemptsMax; attempt += 1) {
    const served = await tryServe(port === 0 ? 0 : port + attempt, listener);
    if (served) return served;
  }
  throw new Error(`No free port from ${port} to ${port + portAttemptsMax - 1}`);
}

/**
 * Serves where it served before, as far as that port is free: what clients have stored (a webhook
 * address, a bucket endpoint) stays true through a restart.
 */
export async function serveAgain(
  folder: DataFolder,
  name: string,
  listener: RequestListener,
): Promise<LocalServer> {
  const server =
    (await tryServe(portBefore(folder, name), listener)) ?? (await serveFrom(0, listener));
  rememberPort(folder, name, server.port);
  return server;
}

/**
 * Lets a server have its address before what it serves exists: functions need the addresses, and
 * some endpoints need the functions.
 */
export function lateListener(): { listener: RequestListener; open: (to: RequestListener) => void } {
  let target = notYet;
  return {
    listener: (request, response) => target(request, response),
    open(to) {
      target = to;
    },
  };
}

const notYet: RequestListener = (_request, response) => {
  response.writeHead(503);
  response.end();
};

const portsFile = "ports.json";
const ports = v.record(v.string(), v.number());

export function portBefore(folder: DataFolder, name: string): number {
  return folder.read(portsFile, ports)?.[name] ?? 0;
}

export function rememberPort(folder: DataFolder, name: string, port: number): void {
  folder.write(portsFile, { ...folder.read(portsFile, ports), [name]: port });
}

async function tryServe(port: number, listener: RequestListener): Promise<LocalServer | null> {
  const server = createServer(listener);
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
 * The whole body; null when it is larger than `bytesMax`. What is too much is read and dropped, so
 * that the client gets to see the answer.
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

/** Bodies of the local endpoints are small; nobody needs to send more. */
const jsonBytesMax = 1024 * 1024;

/** @throws Error when the body is too large or no JSON; an empty body is an empty object */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, jsonBytesMax);
  if (!body) throw new Error(`The body is larger than ${jsonBytesMax} bytes`);
  return body.length === 0 ? {} : JSON.parse(body.toString());
}
