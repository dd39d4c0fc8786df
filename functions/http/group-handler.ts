import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import httpRouter from "@middy/http-router";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import { assert } from "../../shared/base/assert.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import { demoReadOnly, unknownEndpoint, wrongMethod } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import { readingEndsAt } from "../../shared/base/call-time.ts";
import type { OwnAddresses } from "../../shared/outgoing/url.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { addWorkKeys, recordMetrics, within } from "../../shared/observability/work-log.ts";
import {
  groups,
  type GroupName,
  type RouteKey,
  type RouteKeyOf,
  routes as routeTable,
} from "../routes.ts";
import { authenticate } from "./authenticate.ts";
import { parsedParts, sentParts } from "./call-parts.ts";
import { type CallState, callStateOf } from "./call-state.ts";
import { cors, preflight } from "./cors.ts";
import { deprecation, deprecationHeaders } from "./deprecations.ts";
import { errorResponse, type ReadBalance } from "./error-response.ts";
import { headerOf, headersOf } from "./header.ts";
import { methodRoutes } from "./method-routes.ts";
import { openCall } from "./open-call.ts";
import { requestLog } from "./request-log.ts";
import { responseBody } from "./response-body.ts";
import type { AnyRoute, Call, Caller, Reply } from "./route.ts";

/** The dependencies of the middleware that every group uses. */
export interface MiddlewareDependencies {
  readonly accounts: Pick<AccountStore, "admit">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
}

export interface GroupOptions<Group extends GroupName, Dependencies> {
  readonly group: Group;
  readonly routes: { readonly [Key in RouteKeyOf<Group>]: AnyRoute<Dependencies> };
  readonly dependencies: Dependencies & MiddlewareDependencies;
  /**
   * Reads an account's balance. Only set for groups with item calls, whose error responses contain
   * the balance.
   */
  readonly readBalance?: ReadBalance;
  /** True if the gateway expects a streamed response. */
  readonly streamed?: boolean;
  /** Custom domain of the API. Only set for groups in which customers register URLs. */
  readonly domainName?: string;
}

export type HttpHandler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/**
 * Disables the early timeout response of the middleware engine. That response would report a cost
 * of 0 while the handler may still settle a charge.
 */
const noEarlyTimeout = { timeoutEarlyInMillis: 0 } as const;

/**
 * Creates the Lambda handler of a route group. The handler applies the middleware and dispatches
 * each call to its route.
 */
export function groupHandler<Group extends GroupName, Dependencies>(
  options: GroupOptions<Group, Dependencies>,
): HttpHandler {
  const { group, dependencies, streamed = false } = options;
  const isDocuments = groups[group].keys === "counted";
  const routes: Readonly<Record<string, AnyRoute<Dependencies>>> = options.routes;
  const keys = Object.keys(routes) as RouteKeyOf<Group>[];
  const router = httpRouter({
    routes: methodRoutes(keys, isDocuments).map(({ method, path, key, allow }) => ({
      method,
      path,
      handler: async (event: APIGatewayProxyEvent) => {
        const state = callStateOf(event);
        assert(state !== undefined, "openCall ran before the dispatch");
        const route = key === undefined ? undefined : routes[key];
        if (key === undefined || route === undefined) {
          if (method === "OPTIONS" && isDocuments) return rendered(preflight(allow));
          throw wrongMethod(method, path, allow);
        }
        return within(state.work, () =>
          withRetryBudget(state.retries, () => answer({ key, route, event, state }, options)),
        );
      },
    })),
  });
  return middy<APIGatewayProxyEvent>({
    ...noEarlyTimeout,
    ...(streamed ? { executionMode: executionModeStreamifyResponse } : {}),
  })
    .use([
      responseBody({ streamed }),
      ...(isDocuments ? [cors] : []),
      deprecation,
      openCall({ ...dependencies, isItemCallGroup: groups[group].itemCalls, streamed }),
      requestLog({ ...dependencies, group }),
      authenticate({ ...dependencies, keys: groups[group].keys }),
      errorResponse(options.readBalance),
    ])
    .handler(router);
}

interface Dispatch<Dependencies> {
  readonly key: RouteKey;
  readonly route: AnyRoute<Dependencies>;
  readonly event: APIGatewayProxyEvent;
  readonly state: CallState;
}

/**
 * Executes a route. Defines the order of errors that the introduction of the OpenAPI document
 * lists: 403 for a key of the demo workspace, 501 for announced features, 400 for parameters, then
 * the errors of the operation. The middleware has already checked for 401 and 429.
 * @throws these errors, and any error of the operation
 */
async function answer<Group extends GroupName, Dependencies>(
  { key, route, event, state }: Dispatch<Dependencies>,
  { dependencies, readBalance, domainName }: GroupOptions<Group, Dependencies>,
): Promise<APIGatewayProxyResult> {
  const { access } = routeTable[key];
  state.route = key;
  if (access === "write" && state.caller?.demo === true) throw demoReadOnly();
  const path = decodedPath(event);
  const { id = "" } = path;
  if (isId("watchlist", id)) addWorkKeys({ watchlist_id: id });
  const sent = await sentParts(event, access);
  state.deprecation = deprecationHeaders(key, sent);
  route.announced?.({ body: sent.body, query: sent.query, path });
  const { body, query } = parsedParts({ key, route, event, sent });
  route.check?.({ body, query, path });
  const call: Call<never, never> = {
    routeKey: key,
    caller: state.caller ?? anonymous,
    body,
    query,
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
  };
  const isUnspent = event.httpMethod === "HEAD" && access === "write";
  const reply = isUnspent
    ? await unspentReply(call, readBalance)
    : await route.handle(call, dependencies);
  recordMetrics(reply.metrics ?? []);
  return rendered(reply);
}

const anonymous: Caller = { accountId: "", keyId: "", keyName: "", keyPrefix: "", demo: false };

/**
 * Returns the response to HEAD for a GET route that charges. The response has no body, so the
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

const rendered = ({ status, body, headers }: Reply): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { "Content-Type": "application/json", ...headers },
  ...(Buffer.isBuffer(body)
    ? { body: body.toString("base64"), isBase64Encoded: true }
    : { body: typeof body === "string" ? body : JSON.stringify(body) }),
});

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
 * Returns the base URL that the client used, such as `https://host/v1`. Includes the stage prefix,
 * which `event.path` lacks.
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
