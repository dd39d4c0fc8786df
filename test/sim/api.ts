import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { routes } from "../../functions/routes.ts";
import type { ApiName } from "./lambdas.ts";

/** A client's call of the API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, which begins with `/v1`, and the query. */
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API's response to a call. */
export interface ApiAnswer {
  readonly status: number;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body, parsed as JSON; undefined if it is empty. */
  readonly body: Readonly<Record<string, never>> | undefined;
}

const patterns = Object.entries(routes).map(([route, { group }]) => {
  const [method = "", path = ""] = route.split(" ");
  return { method, group, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) };
});

/**
 * Returns the name of the Lambda function that serves a request.
 * @throws Error if the API has no operation with this method and path
 */
export function groupOf({ method, path }: ApiRequest): ApiName {
  const [bare = ""] = path.split("?");
  const found = patterns.find((one) => one.method === method && one.pattern.test(bare));
  if (found === undefined) throw new Error(`The API has no operation ${method} ${path}`);
  return found.group as ApiName;
}

/** Builds the event that API Gateway passes to a Lambda function for a request. */
export function apiEvent({ method, path, key, body, headers = {} }: ApiRequest) {
  const url = new URL(`https://api.example.com${path}`);
  const query = Object.fromEntries(url.searchParams);
  const all = {
    Host: "api.example.com",
    "X-API-Key": key,
    "X-Forwarded-Proto": "https",
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
  const event: Partial<APIGatewayProxyEvent> = {
    resource: url.pathname,
    path: url.pathname,
    httpMethod: method,
    headers: all,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, one]) => [name, [one]])),
    queryStringParameters: query,
    multiValueQueryStringParameters: Object.fromEntries(
      Object.entries(query).map(([name, one]) => [name, [one]]),
    ),
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      path: url.pathname,
      identity: { sourceIp: "192.0.2.1", userAgent: "sim" },
    } as APIGatewayProxyEvent["requestContext"],
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
  return event;
}

/**
 * Parses the response that a Lambda function returns to API Gateway.
 * @param result the value that the handler of the function returned
 * @throws SyntaxError if the body is neither empty nor JSON
 */
export function apiAnswer(result: unknown): ApiAnswer {
  const { statusCode, headers = {}, body } = result as APIGatewayProxyResult;
  return {
    status: statusCode,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    text: body,
    body: body === "" ? undefined : (JSON.parse(body) as Readonly<Record<string, never>>),
  };
}
