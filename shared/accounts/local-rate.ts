import { boundedMap } from "../base/bounded-map.ts";
import {
  type AdmissionTimes,
  hasRoom,
  noAdmissions,
  type RateDecision,
  rateDecision,
  type Refusal,
  refusal,
  roomFromMs,
  withAdmission,
} from "./rate-window.ts";

/** Maximum number of counted callers. A further caller replaces the least recent one. */
const callersMax = 10_000;

type LocalAdmission =
  | { readonly admitted: true; readonly rate: RateDecision }
  | ({ readonly admitted: false } & Refusal);

/** The request rate of callers in this process alone, by the same window as that of keys. */
export interface LocalRate {
  /** Counts a call, unless its caller has used up its rate. */
  admit(caller: string, now: Date): LocalAdmission;
  /** Counts a call that the shared store has admitted. */
  count(caller: string, now: Date): void;
}

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
      if (!hasRoom(times, nowMs)) {
        callers.set(caller, times);
        return { admitted: false, ...refusal(roomFromMs(times), nowMs) };
      }
      return { admitted: true, rate: rateDecision(count(caller, nowMs), nowMs) };
    },
    count: (caller, now) => void count(caller, now.getTime()),
  };
}
