import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { bodyTooLarge, invalidParam } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { headerOf } from "./header.ts";
import type { HttpMiddleware } from "./request-id.ts";

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);

/**
 * Parses the body of calls that may have one. An absent body is left absent: the route's schema
 * then says which parameter is missing.
 */
export function jsonBody(): HttpMiddleware {
  const parser = httpJsonBodyParser();
  return {
    before: async (request) => {
      const event: APIGatewayProxyEvent = request.event;
      if (!methodsWithBody.has(event.httpMethod) || !event.body) return;
      const bytes = Buffer.byteLength(event.body, event.isBase64Encoded ? "base64" : "utf8");
      if (bytes > limits.bodyBytesMax) throw bodyTooLarge(limits.bodyBytesMax);
      // The parser looks only at two spellings of the header name.
      event.headers = { ...event.headers, "content-type": headerOf(event, "content-type") };
      try {
        await parser.before?.(request);
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

function refusal(error: unknown): Error {
  const status = (error as { statusCode?: number }).statusCode;
  return status === 415
    ? invalidParam(
        "body",
        "Send the body as JSON with the header 'Content-Type: application/json'.",
      )
    : invalidParam("body", "The body is not valid JSON. Check quotes, commas and brackets.");
}
