import type { APIGatewayProxyEvent } from "aws-lambda";

/** A request header by its lower-case name; the gateway passes names as the client wrote them. */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (key.toLowerCase() === name) return value;
  }
  return undefined;
}

/** Every value of a request header that may be sent more than once. */
export function headersOf(event: APIGatewayProxyEvent, name: string): string[] {
  const repeated = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);
  const single = headerOf(event, name);
  return single === undefined ? repeated : [...repeated, single];
}
