import { MIMEType, promisify } from "node:util";
import { gunzip, type InputType, type ZlibOptions } from "node:zlib";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { bodyTooLarge, invalidParam } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { formatValue } from "../../shared/base/shown-value.ts";
import { headerOf } from "./header.ts";

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);

/**
 * Parses the JSON object in a call's body. Accepts UTF-8 with or without a byte order mark,
 * uncompressed or compressed with gzip. Returns undefined for a call without a body and for a GET,
 * HEAD or DELETE; the schema of the route then reports the missing parameter.
 * @throws 413 for a body over `limits.bodyBytesMax`; 400 with the reason for any other invalid body
 */
export async function jsonBody(event: APIGatewayProxyEvent): Promise<object | undefined> {
  if (!methodsWithBody.has(event.httpMethod) || !event.body) return undefined;
  const bytes = Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > limits.bodyBytesMax) throw bodyTooLarge(limits.bodyBytesMax);
  refuseOtherTypes(headerOf(event, "content-type") ?? "");
  const plain = await decompress(bytes, headerOf(event, "content-encoding") ?? "");
  return jsonObject(utf8Text(plain));
}

/**
 * Checks that the content type is JSON in UTF-8.
 * @throws 400 INVALID_PARAM for any other content type
 */
function refuseOtherTypes(contentType: string): void {
  const type = mimeType(contentType);
  if (type === undefined || !/^application\/(?:[a-z0-9.+-]+\+)?json$/.test(type.essence)) {
    const wrong =
      contentType === ""
        ? "The Content-Type header is missing."
        : `The Content-Type ${formatValue(contentType)} is not JSON.`;
    throw invalidParam(
      "body",
      `${wrong} Send the body as JSON with the header 'Content-Type: application/json'.`,
    );
  }
  const charset = type.params.get("charset");
  if (charset !== null && !/^utf-?8$/i.test(charset)) {
    throw invalidParam(
      "body",
      `The charset of the body in 'Content-Type' must be UTF-8 (got ${formatValue(charset)}). Send the body as UTF-8.`,
    );
  }
}

/** Parses a content type; undefined if it is invalid. */
function mimeType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}

const gunzipped = promisify<InputType, ZlibOptions, Buffer>(gunzip);

/**
 * Returns the uncompressed body. Accepts gzip only, and bodies that the gateway has decompressed.
 * @throws 400 for another encoding or corrupt data; 413 for more than `limits.bodyBytesMax` bytes
 */
async function decompress(bytes: Buffer, contentEncoding: string): Promise<Buffer> {
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0) return bytes;
  if (codings.length > 1 || (codings[0] !== "gzip" && codings[0] !== "x-gzip")) {
    throw invalidParam(
      "body",
      `The Content-Encoding ${formatValue(contentEncoding)} is not supported. Compress the body with ` +
        "gzip, or send it uncompressed without this header.",
    );
  }
  // API Gateway decompresses gzip before the function runs, but does not remove the header. A body
  // with the header may therefore be uncompressed.
  if (!isGzip(bytes)) return bytes;
  try {
    return await gunzipped(bytes, { maxOutputLength: limits.bodyBytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw bodyTooLarge(limits.bodyBytesMax);
    throw invalidParam(
      "body",
      "The body cannot be decompressed: Content-Encoding is gzip, but the data is truncated or corrupt. Compress the body again.",
    );
  }
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Decodes a body in UTF-8, with or without a byte order mark.
 * @throws 400 INVALID_PARAM for any other encoding
 */
function utf8Text(bytes: Buffer): string {
  const wide = wideEncoding(bytes);
  if (wide !== undefined)
    throw invalidParam("body", `The body must be UTF-8 (got ${wide}). Send it as UTF-8.`);
  try {
    // TextDecoder also removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidParam(
      "body",
      "The body is not valid UTF-8. Encode it as UTF-8, not as Latin-1 or another charset.",
    );
  }
}

/**
 * Returns the encoding of a body in UTF-16 or UTF-32; undefined for any other encoding. Detects it
 * by the byte order mark, or by zero bytes around the first character, which is always ASCII in
 * JSON.
 */
function wideEncoding(bytes: Buffer): "UTF-16" | "UTF-32" | undefined {
  const start = bytes.toString("hex", 0, 4);
  if (/^(?:fffe0000|0000feff|000000..|(?!00)..000000)$/.test(start)) return "UTF-32";
  if (/^(?:fffe|feff|00(?!00)..|(?!00)..00)/.test(start)) return "UTF-16";
  return undefined;
}

const parser = httpJsonBodyParser();

/**
 * Parses a JSON object.
 * @throws 400 INVALID_PARAM for any other text
 */
function jsonObject(text: string): object {
  const event = { headers: { "content-type": "application/json" }, body: text };
  try {
    parser.before?.({ event } as never);
  } catch (error) {
    throw refusal(error);
  }
  const body: unknown = event.body;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidParam(
      "body",
      "The body must be a JSON object, not an array or a single value. Send an object.",
    );
  }
  return body;
}

/** The message of the error for a body that is not JSON. */
export const invalidJson = "The body is not valid JSON. Check quotes, commas and brackets.";

/**
 * Returns the error for a body that the parser refuses: invalid JSON, or a key that would change a
 * prototype.
 */
function refusal(error: unknown): Error {
  const { cause } = error as { cause?: { message?: string } };
  return cause?.message === undefined
    ? invalidParam(
        "body",
        "The body has a key that could change a prototype, such as '__proto__'. Remove it.",
      )
    : invalidParam("body", invalidJson);
}
