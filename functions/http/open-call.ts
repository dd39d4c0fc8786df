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
  readonly chance: RandomSource;
  /** True for a group whose calls charge per item: its refusals say that they cost nothing. */
  readonly isItemCall: boolean;
  /** True when the gateway expects the answer as a stream. */
  readonly streamed: boolean;
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

/**
 * Opens the call's state: its ID, its time to answer and its retry budget. Every response gets the ID
 * and the headers that all responses have.
 */
export function openCall({ clock, chance, isItemCall, streamed }: Options): HttpMiddleware {
  return {
    before: ({ event, context }) => {
      const now = clock.now();
      const id = newId("request", now, chance);
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
    after: decorate,
    onError: decorate,
  };
}
