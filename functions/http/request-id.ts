import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { Chance, Clock } from "../../shared/base/clock.ts";
import { newId } from "../../shared/base/ids.ts";
import { newWork } from "../../shared/base/work-log.ts";
import { callStateOf, openCallState } from "./call-state.ts";

export type HttpMiddleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

interface Options {
  readonly clock: Clock;
  readonly chance: Chance;
  /** True for a group whose calls charge per item: its refusals say that they cost nothing. */
  readonly isItemCall: boolean;
}

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
export function requestId({ clock, chance, isItemCall }: Options): HttpMiddleware {
  return {
    before: (request) => {
      const now = clock.now();
      const id = newId("request", now, chance);
      openCallState(request.event, {
        requestId: id,
        startedAt: now,
        isItemCall,
        work: newWork({ request_id: id, invocation_id: request.context.awsRequestId }),
      });
    },
    after: decorate,
    onError: decorate,
  };
}
