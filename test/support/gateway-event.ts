import type { APIGatewayProxyEvent, Context } from "aws-lambda";

export interface GatewayCall {
  /**
   * The HTTP method.
   * @default GET
   */
  readonly method?: string;
  /** The path without the stage. */
  readonly path: string;
  /**
   * The path that the client called, which includes the stage unless there is a custom domain.
   *
   * @default `path`
   */
  readonly calledPath?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>> | null;
  /**
   * The body as text.
   * @default no body
   */
  readonly body?: string | null;
  /** The IP address from which the client calls. */
  readonly address?: string;
}

/** Creates the event with which API Gateway invokes a function for a call. */
export const gatewayEvent = (call: GatewayCall): APIGatewayProxyEvent =>
  ({
    httpMethod: call.method ?? "GET",
    path: call.path,
    headers: call.headers ?? {},
    multiValueHeaders: {},
    queryStringParameters: call.query ?? null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    body: call.body ?? null,
    isBase64Encoded: false,
    requestContext: {
      path: call.calledPath ?? call.path,
      identity: { sourceIp: call.address ?? "192.0.2.1" },
    },
  }) as unknown as APIGatewayProxyEvent;

/** The context of an invocation that has 29 s left. */
export const gatewayContext = { getRemainingTimeInMillis: () => 29_000 } as Context;
