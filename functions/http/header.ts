import type { APIGatewayProxyEvent } from "aws-lambda";

/** A request header by its lower-case name. The gateway keeps the client's spelling of names. */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (key.toLowerCase() === name) return value;
  }
  return undefined;
}

/** All values of a request header that a call may repeat. */
export function headersOf(event: APIGatewayProxyEvent, name: string): string[] {
  const repeated = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);
  const single = headerOf(event, name);
  return single === undefined ? repeated : [...repeated, single];
}
