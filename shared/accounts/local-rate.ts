import { boundedMap } from "../base/bounded-map.ts";
import {
  type AdmissionTimes,
  admitsAt,
  noAdmissions,
  type RateDecision,
  rateDecision,
  type Refusal,
  refusal,
  admitsFromMs,
  withAdmission,
} from "./rate-window.ts";

/**
 * Maximum number of callers that are counted, to bound the memory. A further caller replaces the
 * least recently used caller.
 */
const callersMax = 10_000;

type LocalAdmission =
  | { readonly admitted: true; readonly rate: RateDecision }
  | ({ readonly admitted: false } & Refusal);

/**
 * A rate limit that counts only the calls that this process receives. Its time window is as long as
 * that of the shared rate limit of keys.
 */
export interface LocalRate {
  /** Admits and counts a call, or refuses it if the caller has reached its rate. */
  admit(caller: string, now: Date): LocalAdmission;
  /** Counts a call that the shared store has already admitted. */
  count(caller: string, now: Date): void;
}

/**
 * Creates a rate limit with a separate count for each caller. It counts only the calls that this
 * process receives. At first, all counts are 0.
 */
export function localRate(): LocalRate {
  const callers = boundedMap<AdmissionTimes>(callersMax);
  const timesOf = (caller: string): AdmissionTimes => callers.get(caller) ?? noAdmissions;
  const count = (caller: string, nowMs: number): AdmissionTimes => {
    const times = withAdmission(timesOf(caller), nowMs);
    callers.set(caller, times);
    return times;
  };
  return {
    admit(caller, now) {
      const nowMs = now.getTime();
      const times = timesOf(caller);
      if (!admitsAt(times, nowMs)) {
        callers.set(caller, times);
        return { admitted: false, ...refusal(admitsFromMs(times), nowMs) };
      }
      return { admitted: true, rate: rateDecision(count(caller, nowMs), nowMs) };
    },
    count: (caller, now) => void count(caller, now.getTime()),
  };
}
