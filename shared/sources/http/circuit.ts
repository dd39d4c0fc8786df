/** The result of a call as the circuit counts it. */
export type CircuitSignal =
  /** The source processed the call. */
  | "accepted"
  /** The source rejected the call because it received too many calls. */
  | "throttled"
  /** The source refuses the caller. */
  | "blocked"
  /** The source did not respond or reported an internal error. */
  | "unknown";

/** A circuit breaker: stops all calls to a source that refuses them. */
export interface Circuit {
  /**
   * Returns true if a call may start: either the circuit is closed, or its open time has ended and
   * no trial call is in progress.
   */
  admits(now: Date): boolean;
  /**
   * Starts a call if `admits` returns true, and returns true. The caller must then call `leave`
   * once.
   */
  enter(now: Date): boolean;
  /** Ends a call and records its result. Returns true if this result opened the circuit. */
  leave(signal: CircuitSignal, times: { readonly startedAt: Date; readonly now: Date }): boolean;
}

const refusalsMax = 5;
const openMs = 60_000;

/**
 * Creates the circuit breaker of a source. After five consecutive refusals, the circuit opens for a
 * minute, in which no call may start. After the minute, the circuit allows one trial call: if the
 * source accepts the call, the circuit closes, otherwise it opens for another minute. Concurrent
 * calls that are all throttled count as one refusal, because they report the same state of the
 * source.
 */
export function circuit(): Circuit {
  let refusals = 0;
  let lastCountedAt = -Infinity;
  let openUntil: number | undefined;
  let isProbing = false;
  const admits = (now: Date): boolean =>
    openUntil === undefined || (now.getTime() >= openUntil && !isProbing);
  const open = (now: Date): true => {
    openUntil = now.getTime() + openMs;
    refusals = 0;
    return true;
  };
  return {
    admits,
    enter(now) {
      if (!admits(now)) return false;
      isProbing = openUntil !== undefined;
      return true;
    },
    leave(signal, { startedAt, now }) {
      if (openUntil !== undefined) {
        // A call that started before the circuit opened does not show whether the source accepts
        // calls now.
        if (!isProbing || startedAt.getTime() < openUntil) return false;
        isProbing = false;
        if (signal !== "accepted") return open(now);
        openUntil = undefined;
        return false;
      }
      if (signal === "accepted") refusals = 0;
      if (signal === "accepted" || signal === "unknown") return false;
      if (signal === "throttled" && startedAt.getTime() < lastCountedAt) return false;
      lastCountedAt = now.getTime();
      refusals += 1;
      return refusals >= refusalsMax && open(now);
    },
  };
}
