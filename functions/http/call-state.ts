import type { APIGatewayProxyEvent } from "aws-lambda";
import type { RateDecision } from "../../shared/accounts/rate-window.ts";
import type { RetryBudget } from "../../shared/base/retry-budget.ts";
import type { Work } from "../../shared/observability/work-log.ts";
import type { RouteKey } from "../routes.ts";
import type { Caller } from "./route.ts";

/** What the chain learns about one call on its way in, and needs again on its way out. */
export interface CallState {
  readonly requestId: string;
  readonly startedAt: Date;
  readonly isItemCall: boolean;
  /** What the call's log lines say. */
  readonly work: Work;
  /** Milliseconds until the answer can no longer be sent; negative after that. */
  readonly msToAnswer: () => number;
  /** What the call may lose to dependencies that do not answer. */
  readonly retries: RetryBudget;
  /** Undefined until it is known which operation was asked for. */
  route?: RouteKey;
  caller?: Caller;
  rate?: RateDecision;
}

const states = new WeakMap<APIGatewayProxyEvent, CallState>();

export function openCallState(event: APIGatewayProxyEvent, state: CallState): CallState {
  states.set(event, state);
  return state;
}

/** The state of a call, absent only when the chain failed before it began. */
export function callStateOf(event: APIGatewayProxyEvent): CallState | undefined {
  return states.get(event);
}
