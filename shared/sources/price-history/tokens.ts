import type { Clock } from "../../base/clock.ts";

/** The token balance that the source reports with every answer. */
export interface TokenAccount {
  /** Negative after a call that cost more than was left. */
  readonly left: number;
  /** Milliseconds until the next tokens are granted. */
  readonly refillInMs: number;
  /** Tokens granted each minute. */
  readonly perMinute: number;
}

export interface Tokens {
  /**
   * Waits for a positive balance. Resolves to true when there is one, or to false if there will be
   * none by the deadline. A call may cost more than is left: the source lets the balance become
   * negative.
   */
  take(cost: number, deadline: Date): Promise<boolean>;
  /** Ends a call that `take` admitted. `account` is null if the answer reported no balance. */
  settle(cost: number, account: TokenAccount | null): void;
}

/** Returns the balance of a key, shared by all its users in the process. */
export type TokensByKey = (reference: string) => Tokens;

const minuteMs = 60_000;
/** Tokens that are unused for this long expire. */
const keptMinutes = 60;
/** How long a reported balance is trusted. After that, one call checks whether it still holds. */
const trustedMs = 5 * minuteMs;
/**
 * While another call is in flight, its answer may report a new balance, so waits are cut to this
 * length.
 */
const sliceMs = 250;

/**
 * Limits the calls of a process to the token balance that the source reported. The first call is
 * not limited.
 */
export function historyTokens(clock: Clock): Tokens {
  let left: number | null = null;
  let perMinute = 0;
  let nextGrantAt = 0;
  let trustedUntil = 0;
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
  const allowProbe = (now: number): void => {
    if (left === null || left > 0 || now < trustedUntil) return;
    left = 1;
    trustedUntil = now + trustedMs;
  };
  const readyAt = (): number => {
    const grants = perMinute <= 0 ? 1 : Math.ceil((1 - (left ?? 0)) / perMinute);
    return Math.min(nextGrantAt + (grants - 1) * minuteMs, trustedUntil);
  };

  return {
    async take(cost, deadline) {
      for (;;) {
        const now = clock.now().getTime();
        if (now >= deadline.getTime()) return false;
        grant(now);
        allowProbe(now);
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
      // The reported balance does not include the calls still in flight.
      left = account.left - costInFlight;
      perMinute = account.perMinute;
      nextGrantAt = clock.now().getTime() + account.refillInMs;
      trustedUntil = clock.now().getTime() + trustedMs;
    },
  };
}

/**
 * Creates one token balance for each key of the process. The reference of the secret identifies the
 * key.
 */
export function tokensByKey(clock: Clock): TokensByKey {
  const known = new Map<string, Tokens>();
  return (reference) => {
    const tokens = known.get(reference) ?? historyTokens(clock);
    known.set(reference, tokens);
    return tokens;
  };
}
