import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import httpRouter, { type Method } from "@middy/http-router";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import { assert } from "../../shared/base/assert.ts";
import type { Chance, Clock } from "../../shared/base/clock.ts";
import { demoReadOnly, notFound } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import { limits } from "../../shared/base/limits.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { addWorkKeys, tell, within } from "../../shared/base/work-log.ts";
import {
  groups,
  type GroupName,
  type RouteKey,
  type RouteKeyOf,
  routes as routeTable,
} from "../routes.ts";
import { authenticate } from "./authenticate.ts";
import { type CallState, callStateOf } from "./call-state.ts";
import { errorResponse, type ReadBalance, serviceErrorOf } from "./error-response.ts";
import { headerOf, headersOf } from "./header.ts";
import { jsonBody } from "./json-body.ts";
import { queryRefusal } from "./query.ts";
import { requestId } from "./request-id.ts";
import { requestLog } from "./request-log.ts";
import type { AnyRoute, Call, Caller, Reply } from "./route.ts";
import { validate } from "./validate.ts";

/** What every group needs, whatever its routes do. */
export interface EdgeDependencies {
  readonly accounts: Pick<AccountStore, "admit">;
  readonly clock: Clock;
  readonly chance: Chance;
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
/** Time kept free before a call must be answered, to settle its credits. */
const settleMilliseconds = 6_000;
const gzipBytesMin = 1_024;
const compress = promisify(gzip);

/** The Lambda of a route group: one chain around all its routes, in the one order calls go. */
export function groupHandler<Group extends GroupName, Dependencies>(
  options: GroupOptions<Group, Dependencies>,
): HttpHandler {
  const { group, dependencies, streamed = false } = options;
  const entries = Object.entries(options.routes) as [RouteKeyOf<Group>, AnyRoute<Dependencies>][];
  const router = httpRouter({
    routes: entries.map(([key, route]) => {
      const [method = "", path = ""] = key.split(" ");
      return {
        method: method as Method,
        path,
        handler: (event: APIGatewayProxyEvent) => {
          const state = callStateOf(event);
          assert(state !== undefined, "a dispatched call was named");
          return within(state.work, () =>
            withRetryBudget(state.retries, () => answer({ key, route, event, state }, options)),
          );
        },
      };
    }),
  });
  return middy<APIGatewayProxyEvent>({
    ...untilTheEnd,
    ...(streamed ? { executionMode: executionModeStreamifyResponse } : {}),
  })
    .use([
      requestId({ ...dependencies, isItemCall: groups[group].itemCalls, streamed }),
      requestLog({ ...dependencies, group }),
      authenticate({ ...dependencies, isPublic: groups[group].public }),
      ...(groups[group].public ? [] : [jsonBody()]),
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

/** Inside a matched route: parse, 501 checks, demo check, work. */
async function answer<Group extends GroupName, Dependencies>(
  { key, route, event, state }: Dispatch<Dependencies>,
  { dependencies, streamed = false }: GroupOptions<Group, Dependencies>,
): Promise<APIGatewayProxyResult> {
  state.route = key;
  const path = decodedPath(event);
  const { id = "" } = path;
  if (isId("watchlist", id)) addWorkKeys({ watchlist_id: id });
  const { body, query } = parsedParts({ key, route, event, path });
  if (routeTable[key].access === "write" && state.caller?.demo === true) throw demoReadOnly();
  const remainingMs = state.msToAnswer() - settleMilliseconds;
  const call: Call<never, never> = {
    caller: state.caller ?? anonymous,
    body,
    query,
    path,
    headers: (name) => headersOf(event, name),
    requestId: state.requestId,
    now: state.startedAt,
    deadline: new Date(
      state.startedAt.getTime() + Math.min(remainingMs, limits.callDeadlineSeconds * 1_000),
    ),
    msToAnswer: state.msToAnswer,
    addressedPath: event.requestContext.path,
    baseUrl: baseUrlOf(event),
  };
  const reply = await route.handle(call, dependencies);
  tell(reply.figures ?? []);
  return rendered(reply, { event, streamed });
}

const anonymous: Caller = { accountId: "", keyId: "", keyName: "", keyPrefix: "", demo: false };

/**
 * Body and query by the route's schemas. An unknown query parameter explains why another one is
 * missing, so its refusal goes before theirs; what is only announced goes before both.
 */
function parsedParts<Dependencies>({
  key,
  route,
  event,
  path,
}: Pick<Dispatch<Dependencies>, "key" | "route" | "event"> & Pick<Call<never, never>, "path">): {
  readonly body: never;
  readonly query: never;
} {
  const refusal = queryRefusal({ key, query: route.query }, event);
  try {
    const body = parsed(route.body, event.body ?? {});
    const query = parsed(route.query, { ...event.queryStringParameters });
    route.announced?.({ body, query, path });
    if (refusal !== undefined) throw refusal;
    return { body, query };
  } catch (error) {
    throw refusal === undefined || serviceErrorOf(error).status === 501 ? error : refusal;
  }
}

const parsed = (schema: AnyRoute<unknown>["body"], value: unknown): never =>
  (schema === undefined ? undefined : validate(schema, value)) as never;

/** A streamed answer is compressed here, as the gateway does not; a buffered one is left alone. */
async function rendered(
  reply: Reply,
  { event, streamed }: { event: APIGatewayProxyEvent; streamed: boolean },
): Promise<APIGatewayProxyResult> {
  const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
  const headers = { "Content-Type": "application/json", ...reply.headers };
  const accepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
    headerOf(event, "accept-encoding") ?? "",
  );
  if (!streamed || !accepted || text.length < gzipBytesMin) {
    return { statusCode: reply.status, headers, body: text };
  }
  const bytes = await compress(text);
  return {
    statusCode: reply.status,
    headers: { ...headers, "Content-Encoding": "gzip", Vary: "Accept-Encoding" },
    body: Readable.from([bytes]) as unknown as string,
  };
}

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
