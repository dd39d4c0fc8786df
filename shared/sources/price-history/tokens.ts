import type { Clock } from "../../base/clock.ts";

/**
 * The token balance that the source reports in its responses. The source charges tokens for calls.
 */
export interface TokenAccount {
  /** The number of tokens left. Negative after a call that cost more than was left. */
  readonly left: number;
  /** Milliseconds until the next tokens are granted. */
  readonly refillInMs: number;
  /** The number of tokens granted each minute. 0 if unknown. */
  readonly perMinute: number;
}

/** Delays calls while the source has no tokens left for the key. */
export interface Tokens {
  /**
   * Waits for a positive balance, and reserves `cost` tokens. Resolves to false if the balance will
   * not be positive before the deadline, otherwise to true. A call may cost more tokens than are
   * left, because the source allows a negative balance.
   */
  take(cost: number, deadline: Date): Promise<boolean>;
  /**
   * Ends a call for which `take` resolved to true.
   * @param account balance in the response; null if the response reported none
   */
  settle(cost: number, account: TokenAccount | null): void;
  /**
   * The number of tokens that are left, and the maximum that the source keeps; null until the
   * source has reported a balance.
   */
  quota(): { readonly left: number; readonly max: number } | null;
}

/**
 * Returns the token limiter of the key whose secret has this reference. All users of the key in the
 * process share the limiter.
 */
export type TokensByKey = (reference: string) => Tokens;

const minuteMs = 60_000;
/** Unused tokens expire after this many minutes. */
const keptMinutes = 60;
/**
 * Milliseconds for which a reported balance is trusted. After that, one call is allowed, because
 * its response reports the new balance.
 */
const trustedMs = 5 * minuteMs;
/**
 * Longest single wait for tokens while other calls are in flight, in milliseconds. It is short,
 * because a response to one of these calls may report a new balance.
 */
const sliceMs = 250;

/**
 * Creates a limiter that delays calls while the source has no tokens left, according to the balance
 * that the source last reported. Before the first report, calls are not delayed.
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
    quota() {
      grant(clock.now().getTime());
      return left === null ? null : { left, max: keptMinutes * perMinute };
    },
  };
}

/**
 * Creates a function that returns the token limiter of a key, given the reference of the key's
 * secret. The same reference always returns the same limiter.
 */
export function tokensByKey(clock: Clock): TokensByKey {
  const known = new Map<string, Tokens>();
  return (reference) => {
    const tokens = known.get(reference) ?? historyTokens(clock);
    known.set(reference, tokens);
    return tokens;
  };
}
