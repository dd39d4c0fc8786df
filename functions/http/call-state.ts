import type { APIGatewayProxyEvent } from "aws-lambda";
import type { RateDecision } from "../../shared/accounts/rate-window.ts";
import type { Caller } from "./route.ts";

/** What the chain learns about one call on its way in, and needs again on its way out. */
export interface CallState {
  readonly requestId: string;
  readonly startedAt: Date;
  readonly isItemCall: boolean;
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
