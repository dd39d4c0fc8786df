import type { APIGatewayProxyEvent } from "aws-lambda";
import type { KeyOwner } from "../../shared/accounts/account-store.ts";
import type { RateDecision } from "../../shared/accounts/rate-window.ts";
import type { RetryBudget } from "../../shared/base/retry-budget.ts";
import type { Work } from "../../shared/observability/work-log.ts";
import type { RouteKey } from "../routes.ts";

/** The state of one call, which the middleware shares between request and response. */
export interface CallState {
  readonly requestId: string;
  readonly startedAt: Date;
  readonly isItemCall: boolean;
  /** The log fields and metrics of the call. */
  readonly work: Work;
  /** Returns the milliseconds until it is too late to send the response; negative after that. */
  readonly msToAnswer: () => number;
  /** Limits the time that the call may wait for dependencies that do not respond. */
  readonly retries: RetryBudget;
  /** Undefined until the call is dispatched to a route. */
  route?: RouteKey;
  caller?: KeyOwner;
  /** The headers about deprecated parts of the API that the call uses. */
  deprecation?: Readonly<Record<string, string>>;
  rate?: RateDecision;
}

const states = new WeakMap<APIGatewayProxyEvent, CallState>();

/**
 * Stores the state of a call and returns the state. From then on, `callStateOf` returns the state
 * for this event.
 */
export function openCallState(event: APIGatewayProxyEvent, state: CallState): CallState {
  states.set(event, state);
  return state;
}

/** Returns the state of a call; undefined only if the middleware failed before `openCallState`. */
export function callStateOf(event: APIGatewayProxyEvent): CallState | undefined {
  return states.get(event);
}
