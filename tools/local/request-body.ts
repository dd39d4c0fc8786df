import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate, type InputType, type ZlibOptions } from "node:zlib";
import type { GatewayErrorType } from "./gateway-responses.ts";
import { readBody } from "./local-server.ts";

/** API Gateway's limit for a body in bytes, before and after decompression. */
const bodyBytesMax = 10 * 1024 * 1024;

type Decode = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
const decoders: Readonly<Partial<Record<string, Decode>>> = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
};

/**
 * Reads the body of a request in the form in which API Gateway passes it to a function:
 * decompressed if it is encoded as gzip or deflate. Returns `REQUEST_TOO_LARGE` for more than 10 MB
 * before or after decompression. Returns `UNSUPPORTED_MEDIA_TYPE` for any other encoding, and for a
 * body that cannot be decompressed. Does not change the header `Content-Encoding`.
 */
export async function gatewayBody(request: IncomingMessage): Promise<Buffer | GatewayErrorType> {
  const body = await readBody(request, bodyBytesMax);
  if (!body) return "REQUEST_TOO_LARGE";
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (body.length === 0 || coding === "identity") return body;
  const decode = decoders[coding];
  if (decode === undefined) return "UNSUPPORTED_MEDIA_TYPE";
  try {
    return await decode(body, { maxOutputLength: bodyBytesMax });
  } catch (error) {
    return error instanceof RangeError ? "REQUEST_TOO_LARGE" : "UNSUPPORTED_MEDIA_TYPE";
  }
}
