import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import httpRouter from "@middy/http-router";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import { assert } from "../../shared/base/assert.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import { demoReadOnly, notFound, wrongMethod } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import { readingEndsAt } from "../../shared/base/call-time.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { addWorkKeys, tell, within } from "../../shared/observability/work-log.ts";
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
import { errorResponse, type ReadBalance } from "./error-response.ts";
import { headerOf, headersOf } from "./header.ts";
import { methodRoutes } from "./method-routes.ts";
import { openCall } from "./open-call.ts";
import { requestLog } from "./request-log.ts";
import { responseBody } from "./response-body.ts";
import type { AnyRoute, Call, Caller, Reply } from "./route.ts";

/** What every group needs, whatever its routes do. */
export interface EdgeDependencies {
  readonly accounts: Pick<AccountStore, "admit">;
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly logger: Logger;
}

export interface GroupOptions<Group extends GroupName, Dependencies> {
  readonly group: Group;
  readonly routes: { readonly [Key in RouteKeyOf<Group>]: AnyRoute<Dependencies> };
  readonly dependencies: Dependencies & EdgeDependencies;
  /** Given by groups of item calls, whose refusals say what the account has left. */
  readonly readBalance?: ReadBalance;
  /** True when the gateway expects the answer as a stream. */
  readonly streamed?: boolean;
}

export type HttpHandler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/**
 * No answer is given in place of a handler that is still at work: it would say that nothing was
 * charged while the charge may be on its way. Lambda ends both together.
 */
const untilTheEnd = { timeoutEarlyInMillis: 0 } as const;

/** The Lambda of a route group: one chain around all its routes, in the one order calls go. */
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
        assert(state !== undefined, "a dispatched call was named");
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
    ...untilTheEnd,
    ...(streamed ? { executionMode: executionModeStreamifyResponse } : {}),
  })
    .use([
      responseBody({ streamed }),
      ...(isDocuments ? [cors] : []),
      openCall({ ...dependencies, isItemCall: groups[group].itemCalls, streamed }),
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
 * A call that reached its route. The order of its refusals is fixed here, and documented in the
 * OpenAPI document's introduction: 401 and 429 came before, then 403 for a key of the demo
 * workspace, 501 for what is announced only, 400 for parameters, and last what the work refuses.
 */
async function answer<Group extends GroupName, Dependencies>(
  { key, route, event, state }: Dispatch<Dependencies>,
  { dependencies, readBalance }: GroupOptions<Group, Dependencies>,
): Promise<APIGatewayProxyResult> {
  const { access } = routeTable[key];
  state.route = key;
  if (access === "write" && state.caller?.demo === true) throw demoReadOnly();
  const path = decodedPath(event);
  const { id = "" } = path;
  if (isId("watchlist", id)) addWorkKeys({ watchlist_id: id });
  const sent = await sentParts(event, access);
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
  };
  const isUnspent = event.httpMethod === "HEAD" && access === "write";
  const reply = isUnspent
    ? await unspentReply(call, readBalance)
    : await route.handle(call, dependencies);
  tell(reply.figures ?? []);
  return rendered(reply);
}

const anonymous: Caller = { accountId: "", keyId: "", keyName: "", keyPrefix: "", demo: false };

/** HEAD of a GET that charges: its answer would not be sent, so nothing is read and nothing charged. */
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
  body: typeof body === "string" ? body : JSON.stringify(body),
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
    throw notFound("This endpoint");
  }
}

/** The address the client used, with the stage prefix that the gateway takes off `event.path`. */
function baseUrlOf(event: APIGatewayProxyEvent): string {
  const host = headerOf(event, "host") ?? "localhost";
  const scheme = headerOf(event, "x-forwarded-proto") ?? "https";
  const full = event.requestContext.path;
  const prefix = full.endsWith(event.path) ? full.slice(0, -event.path.length) : "";
  return `${scheme}://${host}${prefix}/v1`;
}
