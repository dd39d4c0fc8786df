/** Parses the token balance in replies of the price history API. */
import * as v from "valibot";
import type { TokenAccount } from "./tokens.ts";
import { signedInteger } from "./value.ts";
import { foreignCount } from "../contract/foreign-value.ts";
import type { Answered } from "../http/polite-client.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { jsonOf } from "../contract/reply-json.ts";

/** The status with which the source refuses a call for too few tokens. */
export const tooFewTokens = 429;
/**
 * Longest time until the next tokens, in milliseconds, because the API grants tokens every minute.
 * It is used if the reply has no `refillIn`.
 */
const refillInMsMax = 60_000;
/**
 * Maximum wait from `Retry-After`, in milliseconds. It limits the effect of an invalid header on
 * all users of the key.
 */
const restMsMax = 5 * 60_000;

const envelope = v.object({
  tokensLeft: signedInteger,
  refillIn: foreignCount,
  refillRate: foreignCount,
});

/**
 * Returns the token balance in the body of a response, and the time until it is refilled. The API
 * charges tokens for calls. If the body has no balance:
 * - For a 429 with `Retry-After`, returns a balance of 0 that is refilled after the time in
 *   `Retry-After`, but at the latest after five minutes.
 * - For a 429 without `Retry-After`, and for any other status, returns null.
 * @param now current time, for a `Retry-After` that is a date
 */
export function tokenAccountOf(answer: Answered, now: Date): TokenAccount | null {
  return accountInBody(answer) ?? accountInHeader(answer, now);
}

/**
 * Returns true for a 429 that reports a token balance in its body. The source sends this response
 * when the tokens run out, so it is not a sign of overload.
 */
export const isTokenRefusal = (answer: Answered): boolean =>
  answer.status === tooFewTokens && accountInBody(answer) !== null;

/** Returns the token balance in the body of a response; null if the body has none. */
function accountInBody(answer: Answered): TokenAccount | null {
  const parsed = v.safeParse(envelope, jsonOf(answer));
  if (!parsed.success) return null;
  const { tokensLeft, refillIn, refillRate: perMinute = 0 } = parsed.output;
  const refillInMs = Math.min(refillIn ?? refillInMsMax, refillInMsMax);
  if (answer.status === tooFewTokens) {
    // A 429 means that this call needs more tokens than are left, so a positive balance is treated
    // as 0.
    return refillIn === undefined
      ? null
      : { left: Math.min(tokensLeft ?? 0, 0), refillInMs, perMinute };
  }
  return tokensLeft === undefined ? null : { left: tokensLeft, refillInMs, perMinute };
}

/**
 * Derives a token balance of 0 from the `Retry-After` of a 429. Such a response comes from a proxy
 * in front of the source, which reports no balance. Returns null for another status or without the
 * header.
 */
function accountInHeader({ status, headers }: Answered, now: Date): TokenAccount | null {
  if (status !== tooFewTokens) return null;
  const askedMs = retryAfterMs(headers.get("retry-after") ?? null, now);
  if (askedMs === undefined) return null;
  return { left: 0, refillInMs: Math.min(askedMs, restMsMax), perMinute: 0 };
}
