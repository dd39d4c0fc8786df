import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { Chance, Clock } from "../../shared/base/clock.ts";
import { newId } from "../../shared/base/ids.ts";
import { callStateOf, openCallState } from "./call-state.ts";

export type HttpMiddleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

const decorate: NonNullable<HttpMiddleware["after"]> = (request) => {
  const state = callStateOf(request.event);
  if (!request.response || state === undefined) return;
  request.response.headers = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...request.response.headers,
    "X-Request-Id": state.requestId,
  };
};

/** Names the call and puts the name, and headers every response has, on whatever is answered. */
export function requestId({ clock, chance }: { clock: Clock; chance: Chance }): HttpMiddleware {
  return {
    before: (request) => {
      const now = clock.now();
      openCallState(request.event, { requestId: newId("request", now, chance), startedAt: now });
    },
    after: decorate,
    onError: decorate,
  };
}
