/** Parses the token balance from replies of the price history API. */
import * as v from "valibot";
import type { TokenAccount } from "./tokens.ts";
import { signedInteger } from "./value.ts";
import { foreignCount } from "../contract/foreign-value.ts";
import type { Answered } from "../http/polite-client.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { jsonOf } from "../contract/reply-json.ts";

export const tooFewTokens = 429;
/** Tokens are granted every minute: a reply without `refillIn` gets this upper bound. */
const refillInMsMax = 60_000;
/** Upper bound for `Retry-After`: a wrong header must not stop every user of the key for longer. */
const restMsMax = 5 * 60_000;

const envelope = v.object({
  tokensLeft: signedInteger,
  refillIn: foreignCount,
  refillRate: foreignCount,
});

/**
 * Returns the token balance that an answer reports in its body or, for a 429, in `Retry-After`.
 * Returns null without either.
 */
export function tokenAccountOf(answer: Answered, now: Date): TokenAccount | null {
  return accountInBody(answer) ?? accountInHeader(answer, now);
}

/**
 * Returns true for a 429 that reports a token balance: the source's normal answer when tokens run
 * out.
 */
export const isTokenRefusal = (answer: Answered): boolean =>
  answer.status === tooFewTokens && accountInBody(answer) !== null;

function accountInBody(answer: Answered): TokenAccount | null {
  const parsed = v.safeParse(envelope, jsonOf(answer));
  if (!parsed.success) return null;
  const { tokensLeft, refillIn, refillRate: perMinute = 0 } = parsed.output;
  const refillInMs = Math.min(refillIn ?? refillInMsMax, refillInMsMax);
  if (answer.status === tooFewTokens) {
    // A 429 means too few tokens for this call, even if some are left.
    return refillIn === undefined
      ? null
      : { left: Math.min(tokensLeft ?? 0, 0), refillInMs, perMinute };
  }
  return tokensLeft === undefined ? null : { left: tokensLeft, refillInMs, perMinute };
}

/** Reads `Retry-After`: a proxy in front of the source answers 429 without a token balance. */
function accountInHeader({ status, headers }: Answered, now: Date): TokenAccount | null {
  if (status !== tooFewTokens) return null;
  const askedMs = retryAfterMs(headers.get("retry-after") ?? null, now);
  if (askedMs === undefined) return null;
  return { left: 0, refillInMs: Math.min(askedMs, restMsMax), perMinute: 0 };
}
