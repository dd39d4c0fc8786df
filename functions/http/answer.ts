import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { KeyOwner } from "../../shared/accounts/account-store.ts";
import type { Clock } from "../../shared/base/clock.ts";
import { readingEndsAt } from "../../shared/base/call-time.ts";
import { unknownEndpoint } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import { addWorkKeys, recordMetrics } from "../../shared/observability/work-log.ts";
import type { OwnAddresses } from "../../shared/outgoing/url.ts";
import { hasEffects, isPublic, type RouteKey } from "../routes.ts";
import { callerRefusal } from "./access.ts";
import { parseParts, type SentParts, readSentParts } from "./call-parts.ts";
import type { CallState } from "./call-state.ts";
import { deprecationHeaders } from "./deprecations.ts";
import type { ReadBalance } from "./error-response.ts";
import { headerOf, headersOf } from "./header.ts";
import type { AnyRoute, Call, Reply } from "./route.ts";

export interface AnswerOptions<Dependencies> {
  readonly dependencies: Dependencies & { readonly clock: Clock };
  /**
   * Reads an account's balance. Only set for groups with item calls, whose error responses contain
   * the balance.
   */
  readonly readBalance?: ReadBalance;
  /** Custom domain of the API. Only set for groups in which customers register URLs. */
  readonly domainName?: string;
}

/** A call and the route that it is dispatched to. */
export interface Dispatch<Dependencies> {
  readonly key: RouteKey;
  readonly route: AnyRoute<Dependencies>;
  readonly event: APIGatewayProxyEvent;
  readonly state: CallState;
}

/**
 * Executes the route of a call, and returns the response. The middleware has already checked the
 * key and the rate limit (401 and 429).
 * @throws the errors of `checkCall`, and any error of the operation
 */
export async function answer<Dependencies>(
  { key, route, event, state }: Dispatch<Dependencies>,
  { dependencies, readBalance, domainName }: AnswerOptions<Dependencies>,
): Promise<APIGatewayProxyResult> {
  state.route = key;
  const path = decodedPath(event);
  const { id = "" } = path;
  if (isId("watchlist", id)) addWorkKeys({ watchlist_id: id });
  const sent = await readSentParts(event, !isPublic(key));
  state.deprecation = deprecationHeaders(key, sent);
  const call = checkCall({
    key,
    route,
    sent,
    call: {
      caller: state.caller ?? anonymous,
      path,
      headers: (name) => headersOf(event, name),
      requestId: state.requestId,
      now: state.startedAt,
      deadline: readingEndsAt({
        startedAt: state.startedAt,
        now: dependencies.clock.now(),
        msToAnswer: state.msToAnswer(),
      }),
      msToAnswer: state.msToAnswer,
      addressedPath: event.requestContext.path,
      baseUrl: baseUrlOf(event),
      own: ownAddresses(event, domainName),
    },
  });
  const isUnspent = event.httpMethod === "HEAD" && hasEffects(key);
  const reply = isUnspent
    ? await unspentReply(call, readBalance)
    : await route.handle(call, dependencies);
  recordMetrics(reply.metrics ?? []);
  return renderReply(reply);
}

/** A call of a route whose body and query are not checked yet. */
export interface UncheckedCall<Dependencies> {
  readonly key: RouteKey;
  readonly route: AnyRoute<Dependencies>;
  readonly sent: SentParts;
  readonly call: Omit<Call<never, never>, "routeKey" | "body" | "query">;
}

/**
 * Checks a call of a route, and returns the call with its parsed body and query. If several errors
 * apply, throws the first of them in the order that the introduction of the OpenAPI document
 * defines.
 * @throws 403 for a key that may not call the route, then 501 for a feature that is announced but
 * not yet available, then 400 or 413 for an invalid parameter or body
 */
export function checkCall<Dependencies>({
  key,
  route,
  sent,
  call,
}: UncheckedCall<Dependencies>): Call<never, never> {
  const refusal = callerRefusal(key, call.caller);
  if (refusal !== undefined) throw refusal;
  const { path } = call;
  route.announced?.({ body: sent.body, query: sent.query, path });
  const { body, query } = parseParts({ key, route, sent });
  route.check?.({ body, query, path });
  return { ...call, routeKey: key, body, query };
}

const anonymous: KeyOwner = {
  accountId: "",
  keyId: "",
  keyName: "",
  keyPrefix: "",
  demo: false,
  scopes: [],
};

/**
 * Returns the response to HEAD for a GET route that charges. Such a response has no body, so the
 * service reads no items and charges nothing.
 */
async function unspentReply(
  { caller }: Call<never, never>,
  readBalance: ReadBalance | undefined,
): Promise<Reply> {
  const balance = await readBalance?.(caller.accountId);
  return {
    status: 200,
    body: "",
    headers: {
      "X-Service-Credits": "0",
      ...(balance === undefined ? {} : { "X-Service-Balance": String(balance) }),
    },
  };
}

/**
 * Converts the reply of a route to the response of the Lambda function. A Buffer is sent as base64,
 * a string unchanged, and any other body as JSON.
 */
export const renderReply = ({ status, body, headers }: Reply): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { "Content-Type": "application/json", ...headers },
  ...(Buffer.isBuffer(body)
    ? { body: body.toString("base64"), isBase64Encoded: true }
    : { body: typeof body === "string" ? body : JSON.stringify(body) }),
});

/**
 * Returns the path parameters without percent-encoding.
 * @throws 404 NOT_FOUND for an invalid encoding
 */
function decodedPath(event: APIGatewayProxyEvent): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(event.pathParameters ?? {}).map(([name, value]) => [
        name,
        decodeURIComponent(value ?? ""),
      ]),
    );
  } catch {
    throw unknownEndpoint();
  }
}

/**
 * Returns the base URL that the client used, such as `https://host/v1`. It includes the stage
 * prefix, which `event.path` lacks.
 */
function baseUrlOf(event: APIGatewayProxyEvent): string {
  const host = headerOf(event, "host") ?? "localhost";
  const scheme = headerOf(event, "x-forwarded-proto") ?? "https";
  const full = event.requestContext.path;
  const prefix = full.endsWith(event.path) ? full.slice(0, -event.path.length) : "";
  return `${scheme}://${host}${prefix}/v1`;
}

/**
 * Returns the addresses of this service: the host that the client called, the custom domain, and
 * the execute-api host of the gateway.
 */
function ownAddresses(event: APIGatewayProxyEvent, domainName: string | undefined): OwnAddresses {
  const { apiId = "" } = event.requestContext as { readonly apiId?: string };
  const called = new URL(baseUrlOf(event)).host;
  return {
    hosts: domainName === undefined ? [called] : [called, domainName],
    apiId: apiId === "" ? null : apiId,
  };
}
