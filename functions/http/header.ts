import type { APIGatewayProxyEvent } from "aws-lambda";

/**
 * Returns the value of a request header; undefined if the call does not have it. The gateway does
 * not change the client's spelling of header names, so the comparison ignores case.
 * @param name in lower case
 */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(event.headers ?? {})) {
    if (key.toLowerCase() === name) return value;
  }
  return undefined;
}

/**
 * Returns all values of a request header, which a call may repeat; empty if the call does not have
 * it. A value may occur twice.
 * @param name in lower case
 */
export function headersOf(event: APIGatewayProxyEvent, name: string): string[] {
  const repeated = Object.entries(event.multiValueHeaders ?? {})
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);
  const single = headerOf(event, name);
  return single === undefined ? repeated : [...repeated, single];
}
