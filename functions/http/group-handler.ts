import type { Logger } from "@aws-lambda-powertools/logger";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import httpRouter from "@middy/http-router";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { AccountStore } from "../../shared/accounts/account-store.ts";
import { assert } from "../../shared/base/assert.ts";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import { wrongMethod } from "../../shared/base/errors.ts";
import { withRetryBudget } from "../../shared/base/retry-budget.ts";
import { within } from "../../shared/observability/work-log.ts";
import { groups, type GroupName, type RouteKeyOf } from "../routes.ts";
import { answer, type AnswerOptions, renderReply } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { callStateOf } from "./call-state.ts";
import { cors, preflight } from "./cors.ts";
import { deprecation } from "./deprecations.ts";
import { type ErrorBody, errorResponse } from "./error-response.ts";
import { methodRoutes } from "./method-routes.ts";
import { openCall } from "./open-call.ts";
import { requestLog } from "./request-log.ts";
import { responseBody } from "./response-body.ts";
import type { AnyRoute, LoadRoute, Reply } from "./route.ts";

/** The dependencies of the middleware that every group uses. */
export interface MiddlewareDependencies {
  readonly accounts: Pick<AccountStore, "admit">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
}

export interface GroupOptions<Group extends GroupName, Dependencies> extends AnswerOptions<
  Dependencies & MiddlewareDependencies
> {
  readonly group: Group;
  /** The response to a method without a route. @default 404 NOT_FOUND */
  readonly wrongMethod?: Reply;
  /** Returns the body of the response to an error. @default the error object of the HTTP API */
  readonly errorBody?: ErrorBody;
  /** True if the gateway expects a streamed response. */
  readonly streamed?: boolean;
  readonly routes: {
    readonly [Key in RouteKeyOf<Group>]: AnyRoute<Dependencies> | LoadRoute<Dependencies>;
  };
  readonly dependencies: Dependencies & MiddlewareDependencies;
}

export type HttpHandler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/**
 * Disables the early timeout response of the middleware engine. Such a response would report a cost
 * of 0, although the handler may still settle a charge.
 */
const noEarlyTimeout = { timeoutEarlyInMillis: 0 } as const;

/**
 * Creates the Lambda handler of a route group. The handler applies the middleware and dispatches
 * each call to its route. Errors become responses.
 */
export function groupHandler<Group extends GroupName, Dependencies>(
  options: GroupOptions<Group, Dependencies>,
): HttpHandler {
  const { group, dependencies, readBalance, errorBody: bodyOf, streamed = false } = options;
  const { keys: keyRule, itemCalls: isItemCallGroup } = groups[group];
  const isDocuments = keyRule === "counted";
  const routes: Readonly<Record<string, AnyRoute<Dependencies> | LoadRoute<Dependencies>>> =
    options.routes;
  const keys = Object.keys(routes) as RouteKeyOf<Group>[];
  const router = httpRouter({
    routes: methodRoutes(keys, isDocuments).map(({ method, path, key, allow }) => ({
      method,
      path,
      handler: async (event: APIGatewayProxyEvent) => {
        const state = callStateOf(event);
        assert(state !== undefined, "openCall must run before the dispatch");
        const found = key === undefined ? undefined : routes[key];
        if (key === undefined || found === undefined) {
          if (method === "OPTIONS" && isDocuments) return renderReply(preflight(allow));
          if (options.wrongMethod !== undefined) return renderReply(options.wrongMethod);
          throw wrongMethod(method, path, allow);
        }
        const route = typeof found === "function" ? await found() : found;
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
      openCall({ ...dependencies, isItemCallGroup, streamed }),
      requestLog({ ...dependencies, group }),
      authenticate({ ...dependencies, keys: keyRule }),
      errorResponse({ readBalance, bodyOf }),
    ])
    .handler(router);
}
