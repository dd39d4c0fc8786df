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
      if (!isObject(event.body)) {
        throw invalidParam("body", 'The body is a JSON object, such as {"ids": [...]}.');
      }
    },
  };
}

const isObject = (body: unknown): boolean =>
  typeof body === "object" && body !== null && !Array.isArray(body);

/** The parser refuses another content type with 415, and a key that reaches for the prototype. */
function refusal(error: unknown): Error {
  const { statusCode, cause } = error as { statusCode?: number; cause?: { message?: string } };
  if (statusCode === 415) {
    return invalidParam(
      "body",
      "Send the body as JSON with the header 'Content-Type: application/json'.",
    );
  }
  return cause?.message === undefined
    ? invalidParam("body", "The body has a key that is not allowed, such as '__proto__'.")
    : invalidParam("body", "The body is not valid JSON. Check quotes, commas and brackets.");
}
