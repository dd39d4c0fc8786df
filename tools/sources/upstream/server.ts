/**
 * A reference server of the contract at `/docs/upstream`, with the data of the sandbox. Your server
 * replaces `sandboxResults`; the rest can stay unchanged.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { platforms } from "../../../shared/platforms/catalog.ts";
import { stepScraperIds, stepScrapers } from "../../../shared/scrapers/catalog.ts";
import { type LocalServer, readBody, serveFrom } from "../../local/local-server.ts";
import { type Misbehavior, misbehave } from "./misbehaviors.ts";
import { parseCall, type UpstreamCall } from "./parse-call.ts";
import { sandboxResults } from "./sandbox-results.ts";

export interface UpstreamServerOptions {
  /** The port; 0 takes any free port. */
  readonly port: number;
  /** The bearer token that calls must send. If it is absent, calls need no token. */
  readonly secret?: string | undefined;
  readonly maxBatch?: number;
  /** Returns the milliseconds to wait before a response. Called once for each call. */
  readonly latencyMs?: () => number;
  /** Returns how a call misbehaves; undefined for a correct reply. */
  readonly misbehave?: (call: UpstreamCall) => Misbehavior | undefined;
}

/** A running reference server of the contract. */
export interface UpstreamServer extends LocalServer {
  /** All valid calls so far, oldest first. */
  readonly calls: readonly UpstreamCall[];
}

const bodyBytesMax = 5 * 1024 * 1024;
/** The default of `UpstreamServerOptions.maxBatch`. */
export const maxBatchDefault = 100;

/** Starts the reference upstream server on loopback. It returns the data of the sandbox. */
export async function startUpstreamServer(options: UpstreamServerOptions): Promise<UpstreamServer> {
  const calls: UpstreamCall[] = [];
  const server = await serveFrom(
    options.port,
    listenerFor(options, calls),
    "Choose another port with --port.",
  );
  return { ...server, calls };
}

const listenerFor =
  (options: UpstreamServerOptions, calls: UpstreamCall[]): RequestListener =>
  (request, response) => {
    void answer(request, response, { ...options, calls }).catch(() => response.destroy());
  };

type Serving = UpstreamServerOptions & { readonly calls: UpstreamCall[] };

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const { secret, maxBatch = maxBatchDefault } = serving;
  const bytes = await readBody(request, bodyBytesMax);
  const reply = (status: number, body: unknown): void => send({ request, response }, status, body);
  if (secret !== undefined && request.headers.authorization !== `Bearer ${secret}`) {
    return reply(401, {
      error: "The Authorization header must contain the bearer token of the server.",
    });
  }
  const path = `${request.method} ${request.url}`;
  if (path === "GET /capabilities") return reply(200, capabilities(maxBatch));
  if (path !== "POST /read")
    return reply(404, {
      error: `The server accepts GET /capabilities and POST /read (got ${path}).`,
    });
  const call = parseCall(request, bytes, serving.calls.length + 1);
  if ("refusal" in call) return reply(call.status, { error: call.refusal });
  if (call.ids.length > maxBatch)
    return reply(413, {
      error: `A call must have at most ${maxBatch} IDs (got ${call.ids.length}). Send fewer IDs.`,
    });
  serving.calls.push(call);
  const results = await sandboxResults(call.scraper, call.body);
  await new Promise((resolve) => setTimeout(resolve, serving.latencyMs?.() ?? 0));
  const misbehavior = serving.misbehave?.(call);
  if (misbehavior === undefined) return reply(200, { results });
  misbehave(misbehavior, { response, results });
}

const capabilities = (maxBatch: number): object => ({
  scrapers: stepScraperIds.map((id) => ({
    id,
    maxBatch,
    marketplaces: platforms[stepScrapers[id].platform].marketplaces.map(({ code }) => code),
  })),
});

function send(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  status: number,
  body: unknown,
): void {
  const zipped = /\bgzip\b/.test(String(request.headers["accept-encoding"]));
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json",
    ...(zipped && { "Content-Encoding": "gzip" }),
  });
  response.end(zipped ? gzipSync(text) : text);
}

/**
 * Returns a value for the option `misbehave` with which the server shows the misbehavior `name` at
 * every call. If the contract calls the misbehavior temporary (429 or 500), the server shows it
 * only at the first call.
 */
export function alwaysMisbehaving(
  name: Misbehavior,
): NonNullable<UpstreamServerOptions["misbehave"]> {
  const passing: ReadonlySet<Misbehavior> = new Set(["429_seconds", "429_date", "500"]);
  return ({ number }) => (number > 1 && passing.has(name) ? undefined : name);
}
