/** What an answer says of whether the source still talks to us. */
export type Standing =
  /** It answered. */
  | "welcome"
  /** It is being asked too much. */
  | "too_often"
  /** It does not want to be asked. */
  | "blocked"
  /** Nothing of the kind: no answer, or trouble of its own. */
  | "unknown";

/** Stops all calls to a source that turns them away. */
export interface Circuit {
  /** False while the source is left alone. */
  mayEnter(now: Date): boolean;
  /** True when a call starts now; it then has to leave again. */
  enter(now: Date): boolean;
  /** Whoever entered says what came of it. True when this opened the circuit. */
  leave(standing: Standing, times: { readonly startedAt: Date; readonly now: Date }): boolean;
}

const turnedAwayMax = 5;
const openMs = 60_000;

/**
 * Opens after five calls in a row were turned away, for a minute; then one call tries whether the
 * source has changed its mind. Calls that run at once and are all told "too often" count as one:
 * they are one moment of the source, not a row.
 */
export function circuit(): Circuit {
  let turnedAway = 0;
  let lastCountedAt = -Infinity;
  let openUntil: number | undefined;
  let isProbing = false;
  const mayEnter = (now: Date): boolean =>
    openUntil === undefined || (now.getTime() >= openUntil && !isProbing);
  const open = (now: Date): true => {
    openUntil = now.getTime() + openMs;
    turnedAway = 0;
    return true;
  };
  return {
    mayEnter,
    enter(now) {
      if (!mayEnter(now)) return false;
      isProbing = openUntil !== undefined;
      return true;
    },
    leave(standing, { startedAt, now }) {
      if (openUntil !== undefined) {
        // What was under way when the circuit opened says nothing of the time since.
        if (!isProbing || startedAt.getTime() < openUntil) return false;
        isProbing = false;
        if (standing !== "welcome") return open(now);
        openUntil = undefined;
        return false;
      }
      if (standing === "welcome") turnedAway = 0;
      if (standing === "welcome" || standing === "unknown") return false;
      if (standing === "too_often" && startedAt.getTime() < lastCountedAt) return false;
      lastCountedAt = now.getTime();
      turnedAway += 1;
      return turnedAway >= turnedAwayMax && open(now);
    },
  };
}
