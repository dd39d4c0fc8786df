import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { gatewayResponses } from "./gateway-responses.ts";
import type { AnswerError, GatewayErrorType } from "./gateway-responses.ts";
import { describeError } from "./lambda-host.ts";
import type { LambdaHost, LocalFunction } from "./lambda-host.ts";
import type { Log } from "./log.ts";
import { pathTree } from "./path-tree.ts";
import type { GatewayMethod } from "./path-tree.ts";
import { proxyEvent, requestUrl } from "./proxy-event.ts";
import { gatewayBody } from "./request-body.ts";
import { preludeSchema, responseStream } from "./response-stream.ts";
import type { Prelude } from "./response-stream.ts";
import type { ResolvedTemplates } from "./template.ts";

/** The limit of Lambda for an event, and for a response that is not streamed. */
const payloadBytesMax = 6 * 1024 * 1024;

interface GatewayOptions {
  readonly templates: ResolvedTemplates;
  readonly host: LambdaHost;
  readonly log: Log;
}

/** A request on its way through the gateway. */
interface Exchange {
  readonly response: ServerResponse;
  readonly method: GatewayMethod;
  readonly target: LocalFunction;
  readonly event: APIGatewayProxyEvent;
  /** Responds with an error, or closes the connection if the response has begun. */
  readonly fail: (type: GatewayErrorType) => void;
  /** True if the client accepts a binary media type of the API: a base64 body is sent as bytes. */
  readonly decodeBase64: boolean;
  readonly log: Log;
}

/**
 * Creates an HTTP listener that serves the REST API of the templates: its paths, methods,
 * integrations and error messages.
 */
export function gateway(options: GatewayOptions): RequestListener {
  const answerError = gatewayResponses(options.templates);
  const find = pathTree(options.templates);
  const isBinary = binaryMediaTypes(options.templates);
  const stage = options.templates.ofType("AWS::ApiGateway::Stage")[0]?.local.ref ?? "local";
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = randomUUID();
    const fail = failure(response, requestId, answerError);
    const match = find(request.method ?? "GET", requestUrl(request).pathname);
    const body = await gatewayBody(request);
    if (!Buffer.isBuffer(body)) return fail(body);
    if (!match) return fail("MISSING_AUTHENTICATION_TOKEN");
    const binary = isBinary(request.headers["content-type"]);
    const event = proxyEvent({ request, body, match, requestId, stage, binary });
    if (JSON.stringify(event).length > payloadBytesMax) return fail("REQUEST_TOO_LARGE");
    const { method } = match;
    const target = options.host.byReference(method.functionArn);
    const decodeBase64 = isBinary(request.headers.accept);
    await answerExchange({
      response,
      method,
      target,
      event,
      fail,
      decodeBase64,
      log: options.log,
    });
  };
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      options.log(`gateway: ${describeError(error)}`);
      response.destroy();
    });
  };
}

function failure(response: ServerResponse, requestId: string, answerError: AnswerError) {
  return (type: GatewayErrorType): void => {
    // After the first byte, an error status cannot be sent any more. AWS closes the connection in
    // this case too.
    if (response.headersSent) response.destroy();
    else answerError(response, { type, requestId });
  };
}

/**
 * Calls the function and sends its response. After the integration timeout, responds with an error
 * and drops the function's response, but does not stop the function.
 */
async function answerExchange(exchange: Exchange): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), exchange.method.timeoutMilliseconds);
  });
  const timeout = { passed: false };
  const work = exchange.method.streaming
    ? answerStreamed(exchange, timeout)
    : answerBuffered(exchange);
  const outcome = await Promise.race([work.catch((error: unknown) => ({ error })), late]);
  clearTimeout(timer);
  if (outcome === "late") {
    timeout.passed = true;
    exchange.fail("INTEGRATION_TIMEOUT");
  } else if (outcome) {
    exchange.log(`function ${exchange.target.name} failed: ${describeError(outcome.error)}`);
    exchange.fail("DEFAULT_5XX");
  }
}

/** The valid results of a proxy integration. Any other result becomes status 502. */
const proxyResult = v.object({
  ...preludeSchema.entries,
  body: v.nullish(v.string(), ""),
  isBase64Encoded: v.nullish(v.boolean(), false),
});

async function answerBuffered(exchange: Exchange): Promise<void> {
  const { response, target, event } = exchange;
  const result = v.parse(proxyResult, await target.invoke(event));
  const bytes = Buffer.byteLength(result.body);
  if (bytes > payloadBytesMax)
    throw new Error(
      `The response has ${bytes} bytes, but Lambda returns at most ${payloadBytesMax} without streaming. Stream the response, or return less data.`,
    );
  if (response.headersSent) return;
  const encoding = result.isBase64Encoded && exchange.decodeBase64 ? "base64" : "utf8";
  writeHead(response, result, event.requestContext.requestId);
  response.end(result.statusCode === 204 ? undefined : Buffer.from(result.body, encoding));
}

async function answerStreamed(exchange: Exchange, timeout: { passed: boolean }): Promise<void> {
  const { response, target, event } = exchange;
  const closed = (): boolean => timeout.passed || response.destroyed;
  const stream = responseStream({
    begin(prelude) {
      if (!closed()) writeHead(response, prelude, event.requestContext.requestId);
    },
    async write(chunk) {
      if (closed() || response.write(chunk)) return;
      const listening = new AbortController();
      const { signal } = listening;
      await Promise.race([
        once(response, "drain", { signal }),
        once(response, "close", { signal }),
      ]).finally(() => listening.abort());
    },
  });
  await target.invokeStreaming(event, stream);
  if (closed()) return;
  if (!response.headersSent)
    throw new Error(
      "The function ended without the status of its response. Write the status first.",
    );
  response.end();
}

/** Response headers that API Gateway sends with the prefix `x-amzn-remapped-`. */
const remapped: ReadonlySet<string> = new Set(["date", "server", "www-authenticate"]);
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "transfer-encoding",
]);

function writeHead(response: ServerResponse, prelude: Prelude, requestId: string): void {
  response.statusCode = prelude.statusCode;
  response.setHeader("x-amzn-RequestId", requestId);
  const single = Object.entries(prelude.headers ?? {}).map(
    ([name, value]) => [name, [value]] as const,
  );
  for (const [name, values] of [...single, ...Object.entries(prelude.multiValueHeaders ?? {})]) {
    const lower = name.toLowerCase();
    if (hopByHop.has(lower)) continue;
    response.setHeader(remapped.has(lower) ? `x-amzn-Remapped-${name}` : name, values.map(String));
  }
  if (!response.hasHeader("content-type")) response.setHeader("content-type", "application/json");
  if (prelude.cookies) response.setHeader("set-cookie", [...prelude.cookies]);
  response.flushHeaders();
}

const apiProperties = v.object({ BinaryMediaTypes: v.optional(v.array(v.string()), []) });

/**
 * Creates a function that returns true for content types that the API transfers as bytes instead of
 * text.
 */
function binaryMediaTypes(templates: ResolvedTemplates): (value: string | undefined) => boolean {
  const types = templates
    .ofType("AWS::ApiGateway::RestApi", apiProperties)
    .flatMap(({ properties }) => properties.BinaryMediaTypes);
  return (value) => {
    const first = (value ?? "").split(/[,;]/)[0]?.trim().toLowerCase();
    return types.some((type) => type === "*/*" || type.toLowerCase() === first);
  };
}
