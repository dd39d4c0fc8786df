import { boundedMap } from "../base/bounded-map.ts";
import {
  admissionCap,
  admit,
  noCalls,
  type RateDecision,
  rateDecision,
  type RateState,
} from "./rate-window.ts";

/** Callers that are remembered; beyond them, those who have not called for longest are forgotten. */
const callersMax = 10_000;

/** The request rate of callers in this process alone, by the same window as that of keys. */
export interface LocalRate {
  /** Counts a call, unless its caller has made as many as it may within a second. */
  admit(caller: string, now: Date): { readonly admitted: boolean; readonly rate: RateDecision };
  /** Counts a call that was admitted by what all processes know. */
  count(caller: string, now: Date): void;
}

export function localRate(): LocalRate {
  const states = boundedMap<RateState>(callersMax);
  const stateOf = (caller: string): RateState => states.get(caller) ?? noCalls;
  return {
    admit(caller, now) {
      const nowMs = now.getTime();
      const state = stateOf(caller);
      const admitted = state.admitted < admissionCap(state, nowMs);
      const next = admitted ? admit(state, nowMs) : state;
      states.set(caller, next);
      return { admitted, rate: rateDecision(next, nowMs) };
    },
    count: (caller, now) => states.set(caller, admit(stateOf(caller), now.getTime())),
  };
}
