/** The signal of an answer for the circuit. */
export type CircuitSignal =
  /** The source answered the call. */
  | "accepted"
  /** The source reports too many calls. */
  | "throttled"
  /** The source refuses the caller. */
  | "blocked"
  /** No answer, or an error of the source. */
  | "unknown";

/** Stops all calls to a source that refuses them. */
export interface Circuit {
  /** Returns false while the circuit is open. */
  admits(now: Date): boolean;
  /** Returns true if a call starts now. The caller must then call `leave`. */
  enter(now: Date): boolean;
  /** Records the result of a call. Returns true if it opened the circuit. */
  leave(signal: CircuitSignal, times: { readonly startedAt: Date; readonly now: Date }): boolean;
}

const refusalsMax = 5;
const openMs = 60_000;

/**
 * Creates a circuit that opens for a minute after five consecutive refusals. Then one call probes
 * the source. Concurrent calls that are all throttled count as one refusal, because they report one
 * state of the source.
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
        // A call that started before the circuit opened has no information about the time since.
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
