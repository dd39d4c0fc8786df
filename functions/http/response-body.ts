import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import Negotiator from "negotiator";
import { headerOf } from "./header.ts";
import type { HttpMiddleware } from "./request-id.ts";

/** A body of this size or less is not worth compressing. */
const plainBytesMax = 1_024;
const compress = promisify(gzip);

interface Options {
  /** True when the gateway expects the answer as a stream. */
  readonly streamed: boolean;
}

/**
 * Decides what is sent of an answer's body: nothing for HEAD and for a document that the client has,
 * gzip where the client accepts it. The function compresses by itself in both response modes, because
 * API Gateway does not compress streams.
 */
export function responseBody(options: Options): HttpMiddleware {
  const render: NonNullable<HttpMiddleware["after"]> = async (request) => {
    const { event, response } = request;
    if (response) request.response = await rendered(event, response, options);
  };
  return { after: render, onError: render };
}

async function rendered(
  event: APIGatewayProxyEvent,
  response: APIGatewayProxyResult,
  { streamed }: Options,
): Promise<APIGatewayProxyResult> {
  const answer = { ...response, headers: { ...response.headers, Vary: "Accept-Encoding" } };
  if (isCurrent(event, response)) return { ...answer, statusCode: 304, body: "" };
  const isHead = event.httpMethod === "HEAD";
  const bytes = await compressed(event, response.body);
  if (bytes === undefined) return { ...answer, body: isHead ? "" : response.body };
  const encoded = { ...answer, headers: { ...answer.headers, "Content-Encoding": "gzip" } };
  if (isHead) return { ...encoded, body: "" };
  return streamed
    ? { ...encoded, body: Readable.from([bytes]) as unknown as string }
    : { ...encoded, body: bytes.toString("base64"), isBase64Encoded: true };
}

/**
 * Undefined where the body is sent as it is. Lambda bounds a buffered answer in base64: bytes that
 * grow by that are not sent, so that an answer which fits uncompressed always fits.
 */
async function compressed(event: APIGatewayProxyEvent, text: string): Promise<Buffer | undefined> {
  const size = Buffer.byteLength(text);
  if (size <= plainBytesMax || !acceptsGzip(event)) return undefined;
  const bytes = await compress(text);
  return (bytes.length * 4) / 3 < size ? bytes : undefined;
}

function acceptsGzip(event: APIGatewayProxyEvent): boolean {
  const headers = { "accept-encoding": headerOf(event, "accept-encoding") };
  const codings = ["gzip", "identity"];
  return new Negotiator({ headers }).encoding(codings, { preferred: codings }) === "gzip";
}

/** True when `If-None-Match` names the document's current version, by weak comparison. */
function isCurrent(
  event: APIGatewayProxyEvent,
  { statusCode, headers = {} }: APIGatewayProxyResult,
): boolean {
  const tag = headers["ETag"];
  const known = headerOf(event, "if-none-match");
  if (statusCode !== 200 || typeof tag !== "string" || known === undefined) return false;
  const opaque = tag.replace(/^W\//, "");
  return known.trim() === "*" || (known.match(/"[^"]*"/g) ?? []).some((one) => one === opaque);
}
