import type { APIGatewayProxyEvent } from "aws-lambda";
import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import { newId } from "../../shared/base/ids.ts";
import { limits } from "../../shared/base/limits.ts";
import { retryBudget } from "../../shared/base/retry-budget.ts";
import { strictTransportSecurity } from "../../shared/base/transport-security.ts";
import { newWork } from "../../shared/observability/work-log.ts";
import { isItemCall } from "../routes.ts";
import { callStateOf, openCallState } from "./call-state.ts";
import { headerOf } from "./header.ts";
import type { HttpMiddleware } from "./middleware.ts";
import { routeOfCall } from "./route-of-call.ts";
import { timeToAnswer } from "./time-to-answer.ts";

interface Options {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** True if every call of the group charges by item. */
  readonly isItemCallGroup: boolean;
  /** True if the gateway expects a streamed response. */
  readonly streamed: boolean;
}

const addHeaders: NonNullable<HttpMiddleware["after"]> = (request) => {
  const state = callStateOf(request.event);
  if (!request.response || state === undefined) return;
  request.response.headers = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    // RFC 6797 forbids the header over plain HTTP, which only the local server uses.
    ...(isOverTls(request.event) && { "Strict-Transport-Security": strictTransportSecurity }),
    ...request.response.headers,
    "X-Request-Id": state.requestId,
  };
};

/** Returns true if the client connected with TLS, which the gateway requires. */
const isOverTls = (event: APIGatewayProxyEvent): boolean =>
  headerOf(event, "x-forwarded-proto") !== "http";

/** Returns true for a call of a route that charges by item, even before the call is dispatched. */
function isItemCallRoute(event: APIGatewayProxyEvent): boolean {
  const route = routeOfCall(event);
  return route !== undefined && isItemCall(route);
}

/**
 * Creates the middleware that opens a call: it creates the request ID, the time limit and the retry
 * budget. It adds the request ID and the common headers to every response.
 */
export function openCall({ clock, random, isItemCallGroup, streamed }: Options): HttpMiddleware {
  return {
    before: ({ event, context }) => {
      const now = clock.now();
      const id = newId("request", now, random);
      const msToAnswer = timeToAnswer(event, context, { clock, streamed });
      openCallState(event, {
        requestId: id,
        startedAt: now,
        isItemCall: isItemCallGroup || isItemCallRoute(event),
        work: newWork({ request_id: id, invocation_id: context.awsRequestId }),
        msToAnswer,
        retries: retryBudget({
          clock,
          lossMs: limits.dependencies.callLossMs,
          endsInMs: msToAnswer,
        }),
      });
    },
    after: addHeaders,
    onError: addHeaders,
  };
}
