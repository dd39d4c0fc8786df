import type { RandomSource, Clock } from "../../shared/base/clock.ts";
import { newId } from "../../shared/base/ids.ts";
import { limits } from "../../shared/base/limits.ts";
import { retryBudget } from "../../shared/base/retry-budget.ts";
import { newWork } from "../../shared/observability/work-log.ts";
import { callStateOf, openCallState } from "./call-state.ts";
import type { HttpMiddleware } from "./middleware.ts";
import { timeToAnswer } from "./time-to-answer.ts";

interface Options {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** True if every call of the group charges by item. */
  readonly isItemCall: boolean;
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
    ...request.response.headers,
    "X-Request-Id": state.requestId,
  };
};

/**
 * Creates the state of a call: its request ID, its remaining time and its retry budget. Adds the
 * request ID and the common headers to every response.
 */
export function openCall({ clock, random, isItemCall, streamed }: Options): HttpMiddleware {
  return {
    before: ({ event, context }) => {
      const now = clock.now();
      const id = newId("request", now, random);
      const msToAnswer = timeToAnswer(event, context, { clock, streamed });
      openCallState(event, {
        requestId: id,
        startedAt: now,
        isItemCall,
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
