import {
  admissionCap,
  admit,
  noCalls,
  type RateDecision,
  rateDecision,
  type RateState,
} from "../../shared/accounts/rate-window.ts";

const addressesMax = 10_000;

/** Counts calls without a known key, per address, by the same window as keys; forgets the oldest. */
export function addressRate(): (
  address: string,
  now: Date,
) => { readonly admitted: boolean; readonly rate: RateDecision } {
  const states = new Map<string, RateState>();
  return (address, now) => {
    const nowMs = now.getTime();
    const state = states.get(address) ?? noCalls;
    const admitted = state.admitted < admissionCap(state, nowMs);
    const next = admitted ? admit(state, nowMs) : state;
    states.delete(address);
    states.set(address, next);
    if (states.size > addressesMax) states.delete(states.keys().next().value ?? address);
    return { admitted, rate: rateDecision(next, nowMs) };
  };
}
