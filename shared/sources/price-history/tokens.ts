import type { Clock } from "../../base/clock.ts";

/** What the source says of its allowance, with every answer. */
export interface TokenAccount {
  /** Below 0 where a call cost more than was left. */
  readonly left: number;
  /** Milliseconds until the next tokens are granted. */
  readonly refillInMs: number;
  /** Tokens that are granted each minute. */
  readonly perMinute: number;
}

export interface Tokens {
  /**
   * Resolves to true when there is something left to pay with, or to false when there will not be
   * by the deadline. A call may cost more than is left: the source lets the account go below 0.
   */
  take(cost: number, deadline: Date): Promise<boolean>;
  /** Ends a call that `take` let through; null when its answer did not say what is left. */
  settle(cost: number, account: TokenAccount | null): void;
}

/** The count of a key, the same for everyone who reads with it. */
export type TokensByKey = (reference: string) => Tokens;

const minuteMs = 60_000;
/** Tokens that nobody used for this long are gone. */
const keptMinutes = 60;
/** What was said last is believed for so long; then one call finds out whether it still holds. */
const believedMs = 5 * minuteMs;
/** While an answer is awaited, which may know better, waiting is done in slices. */
const sliceMs = 250;

/** Paces this process's calls by the tokens that the source has told of; at first it just asks. */
export function historyTokens(clock: Clock): Tokens {
  let left: number | null = null;
  let perMinute = 0;
  let nextGrantAt = 0;
  let believedUntil = 0;
  let callsInFlight = 0;
  let costInFlight = 0;

  const grant = (now: number): void => {
    if (left === null || now < nextGrantAt) return;
    if (perMinute <= 0) {
      left = null;
      return;
    }
    const grants = Math.floor((now - nextGrantAt) / minuteMs) + 1;
    left = Math.min(left + grants * perMinute, keptMinutes * perMinute);
    nextGrantAt += grants * minuteMs;
  };
  const doubt = (now: number): void => {
    if (left === null || left > 0 || now < believedUntil) return;
    left = 1;
    believedUntil = now + believedMs;
  };
  const readyAt = (): number => {
    const grants = perMinute <= 0 ? 1 : Math.ceil((1 - (left ?? 0)) / perMinute);
    return Math.min(nextGrantAt + (grants - 1) * minuteMs, believedUntil);
  };

  return {
    async take(cost, deadline) {
      for (;;) {
        const now = clock.now().getTime();
        if (now >= deadline.getTime()) return false;
        grant(now);
        doubt(now);
        if (left === null || left > 0) break;
        const at = readyAt();
        const isAlone = callsInFlight === 0;
        if (isAlone && at >= deadline.getTime()) return false;
        const until = isAlone ? at : Math.min(at, now + sliceMs, deadline.getTime());
        await clock.sleep(Math.max(1, until - now));
      }
      if (left !== null) left -= cost;
      callsInFlight += 1;
      costInFlight += cost;
      return true;
    },
    settle(cost, account) {
      callsInFlight -= 1;
      costInFlight -= cost;
      if (account === null) return;
      // What the source has left does not count the calls that it has not answered yet.
      left = account.left - costInFlight;
      perMinute = account.perMinute;
      nextGrantAt = clock.now().getTime() + account.refillInMs;
      believedUntil = clock.now().getTime() + believedMs;
    },
  };
}

/** One count for each key that a process reads with, told apart by where they are kept. */
export function tokensByKey(clock: Clock): TokensByKey {
  const known = new Map<string, Tokens>();
  return (reference) => {
    const tokens = known.get(reference) ?? historyTokens(clock);
    known.set(reference, tokens);
    return tokens;
  };
}
