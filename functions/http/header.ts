import type { APIGatewayProxyEvent } from "aws-lambda";

/** A request header by its lower-case name; the gateway passes names as the client wrote them. */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (key.toLowerCase() === name) return value;
  }
  return undefined;
}
