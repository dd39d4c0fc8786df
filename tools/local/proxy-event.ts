import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayEventRequestContext, APIGatewayProxyEvent } from "aws-lambda";
import type { Match } from "./path-tree.ts";
import { localAccount } from "./template.ts";

/** A request and the method that it calls, from which `proxyEvent` builds the event. */
export interface ProxyRequest {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly match: Match;
  readonly requestId: string;
  readonly stage: string;
  /** True if the event contains the body as base64 instead of text. */
  readonly binary: boolean;
}

/**
 * Builds the event that API Gateway sends to a function by Lambda proxy integration (payload
 * version 1.0).
 */
export function proxyEvent(proxied: ProxyRequest): APIGatewayProxyEvent {
  const { request, body, match, binary } = proxied;
  const url = requestUrl(request);
  const headers = headersOf(request);
  const query = queryOf(url);
  return {
    resource: match.resourcePath,
    path: url.pathname,
    httpMethod: request.method ?? "GET",
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: query && lastOf(query),
    multiValueQueryStringParameters: query,
    pathParameters: match.pathParameters && { ...match.pathParameters },
    stageVariables: null,
    requestContext: requestContext(proxied, url.pathname),
    body: body.length === 0 ? null : body.toString(binary ? "base64" : "utf8"),
    isBase64Encoded: binary && body.length > 0,
  };
}
/** Returns the URL of a request. Its origin is a placeholder. */
export function requestUrl(request: IncomingMessage): URL {
  return new URL(`http://local${request.url ?? "/"}`);
}

/**
 * Returns the request's headers with the client's spelling, plus the `X-Forwarded-*` headers of the
 * gateway.
 */
function headersOf(request: IncomingMessage): Record<string, string[]> {
  const headers = emptyLists();
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    (headers[request.rawHeaders[i] ?? ""] ??= []).push(request.rawHeaders[i + 1] ?? "");
  }
  headers["X-Forwarded-For"] = [request.socket.remoteAddress ?? ""];
  headers["X-Forwarded-Proto"] = ["http"];
  headers["X-Forwarded-Port"] = [`${request.socket.localPort ?? ""}`];
  return headers;
}

function queryOf(url: URL): Record<string, string[]> | null {
  const query = emptyLists();
  for (const [name, value] of url.searchParams) (query[name] ??= []).push(value);
  return Object.keys(query).length > 0 ? query : null;
}

/** Returns an object without a prototype, because a client may send names such as `constructor`. */
function emptyLists(): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  Object.setPrototypeOf(lists, null);
  return lists;
}

function lastOf(values: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, list]) => [name, list.at(-1) ?? ""]),
  );
}

function requestContext(proxied: ProxyRequest, path: string): APIGatewayEventRequestContext {
  const { request, match, requestId, stage } = proxied;
  const now = new Date();
  return {
    accountId: localAccount.id,
    apiId: "local",
    authorizer: null,
    domainName: request.headers.host ?? "",
    domainPrefix: "local",
    extendedRequestId: randomUUID(),
    httpMethod: request.method ?? "GET",
    identity: identityOf(request),
    // The path has no stage, as behind a custom domain.
    path,
    protocol: "HTTP/1.1",
    requestId,
    requestTime: now.toISOString(),
    requestTimeEpoch: now.getTime(),
    resourceId: match.method.resourceId,
    resourcePath: match.resourcePath,
    stage,
  };
}

function identityOf(request: IncomingMessage): APIGatewayEventRequestContext["identity"] {
  return {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: request.socket.remoteAddress ?? "",
    user: null,
    userAgent: request.headers["user-agent"] ?? null,
    userArn: null,
  };
}
