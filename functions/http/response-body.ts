import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import Negotiator from "negotiator";
import { boundedMap } from "../../shared/base/bounded-map.ts";
import { headerOf } from "./header.ts";
import type { HttpMiddleware } from "./middleware.ts";

/** Maximum size of a body that is not compressed, in bytes. */
const plainBytesMax = 1_024;
const compress = promisify(gzip);
const decompress = promisify(brotliDecompress);
/** Cached gzip forms of public documents, by ETag. */
const documents = boundedMap<Buffer>(20);

interface Options {
  /** True if the gateway expects a streamed response. */
  readonly streamed: boolean;
}

/**
 * Creates the middleware that renders the body of a response. It responds with 304 if
 * `If-None-Match` has the document's ETag. The body is empty for HEAD and for 304. A file that is
 * stored as brotli is sent unchanged if the client accepts brotli. Every other body of more than
 * 1,024 bytes is compressed with gzip if the client accepts gzip and the response becomes smaller.
 * This applies to buffered and to streamed responses, because API Gateway does not compress
 * streams.
 */
export function responseBody(options: Options): HttpMiddleware {
  const render: NonNullable<HttpMiddleware["after"]> = async (request) => {
    const { event, response } = request;
    if (response) request.response = await renderBody(event, response, options);
  };
  return { after: render, onError: render };
}

/** Returns the response as the client receives it; see `responseBody`. */
async function renderBody(
  event: APIGatewayProxyEvent,
  stored: APIGatewayProxyResult,
  { streamed }: Options,
): Promise<APIGatewayProxyResult> {
  const isKnown = isCurrent(event, stored);
  const response =
    isBrotli(stored) && !isKnown && !accepts(event, "br") ? await decompressBody(stored) : stored;
  const answer = { ...response, headers: { ...response.headers, Vary: "Accept-Encoding" } };
  if (isKnown) return { ...answer, statusCode: 304, body: "" };
  const isHead = event.httpMethod === "HEAD";
  if (isBrotli(response)) return isHead ? { ...answer, body: "", isBase64Encoded: false } : answer;
  const bytes = await compressBody(event, response);
  if (bytes === undefined) return { ...answer, body: isHead ? "" : response.body };
  const encoded = { ...answer, headers: { ...answer.headers, "Content-Encoding": "gzip" } };
  if (isHead) return { ...encoded, body: "" };
  return streamed
    ? { ...encoded, body: Readable.from([bytes]) as unknown as string }
    : { ...encoded, body: bytes.toString("base64"), isBase64Encoded: true };
}

/**
 * Returns the compressed body; undefined if the body is sent uncompressed. A buffered compressed
 * response is sent in base64, and Lambda limits its size. So the body is sent uncompressed if the
 * base64 form of the compressed body is not smaller.
 */
async function compressBody(
  event: APIGatewayProxyEvent,
  response: APIGatewayProxyResult,
): Promise<Buffer | undefined> {
  const size = Buffer.byteLength(response.body);
  if (size <= plainBytesMax || !accepts(event, "gzip")) return undefined;
  const tag = tagOf(response);
  const bytes =
    (tag === undefined ? undefined : documents.get(tag)) ?? (await compress(response.body));
  if (tag !== undefined) documents.set(tag, bytes);
  return (bytes.length * 4) / 3 < size ? bytes : undefined;
}

/**
 * Returns true if the client accepts the content coding and does not prefer an uncompressed
 * response.
 */
function accepts(event: APIGatewayProxyEvent, coding: "br" | "gzip"): boolean {
  const headers = { "accept-encoding": headerOf(event, "accept-encoding") };
  const codings = [coding, "identity"];
  return new Negotiator({ headers }).encoding(codings, { preferred: codings }) === coding;
}

/** Returns true for a file that is stored as brotli. */
const isBrotli = ({ headers }: APIGatewayProxyResult): boolean =>
  headers?.["Content-Encoding"] === "br";

/** Returns an uncompressed copy of a response, for clients that do not accept brotli. */
async function decompressBody(response: APIGatewayProxyResult): Promise<APIGatewayProxyResult> {
  const { "Content-Encoding": _coding, ...headers } = response.headers ?? {};
  const bytes = await decompress(Buffer.from(response.body, "base64"));
  return { ...response, headers, body: bytes.toString("utf8"), isBase64Encoded: false };
}

/** Returns true if `If-None-Match` contains the document's ETag by weak comparison. */
function isCurrent(event: APIGatewayProxyEvent, response: APIGatewayProxyResult): boolean {
  const tag = tagOf(response);
  const known = headerOf(event, "if-none-match");
  if (tag === undefined || known === undefined) return false;
  const opaque = tag.replace(/^W\//, "");
  return known.trim() === "*" || (known.match(/"[^"]*"/g) ?? []).some((one) => one === opaque);
}

/** Returns the ETag of a public document; undefined for any other response. */
function tagOf({ statusCode, headers }: APIGatewayProxyResult): string | undefined {
  const tag = headers?.["ETag"];
  return statusCode === 200 && typeof tag === "string" ? tag : undefined;
}
