/** What an answer of the history API says of the tokens that are left. */
import * as v from "valibot";
import type { TokenAccount } from "./tokens.ts";
import { signedWhole } from "./value.ts";
import { foreignCount } from "../contract/foreign-value.ts";
import type { Answered } from "../http/polite-client.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { jsonOf } from "../contract/reply-json.ts";

export const tooFewTokens = 429;
/** Tokens are granted every minute: no answer means a later one. */
const refillInMsMax = 60_000;
/** What a header asks for is kept no longer: one slip of it would stop all who use the key. */
const restMsMax = 5 * 60_000;

const envelope = v.object({
  tokensLeft: signedWhole,
  refillIn: foreignCount,
  refillRate: foreignCount,
});

/** Null when the answer does not say what is left. */
export function accountOf(answer: Answered, now: Date): TokenAccount | null {
  return toldAccount(answer) ?? restOf(answer, now);
}

/** Whether a 429 is the source's usual way to say that the tokens are used up. */
export const isTokenRefusal = (answer: Answered): boolean =>
  answer.status === tooFewTokens && toldAccount(answer) !== null;

function toldAccount(answer: Answered): TokenAccount | null {
  const parsed = v.safeParse(envelope, jsonOf(answer));
  if (!parsed.success) return null;
  const { tokensLeft, refillIn, refillRate: perMinute = 0 } = parsed.output;
  const refillInMs = Math.min(refillIn ?? refillInMsMax, refillInMsMax);
  if (answer.status === tooFewTokens) {
    // Too few for this call, however many there are.
    return refillIn === undefined
      ? null
      : { left: Math.min(tokensLeft ?? 0, 0), refillInMs, perMinute };
  }
  return tokensLeft === undefined ? null : { left: tokensLeft, refillInMs, perMinute };
}

/** What stands before the source, and knows no tokens, says in a header when to come back. */
function restOf({ status, headers }: Answered, now: Date): TokenAccount | null {
  if (status !== tooFewTokens) return null;
  const askedMs = retryAfterMs(headers.get("retry-after") ?? null, now);
  if (askedMs === undefined) return null;
  return { left: 0, refillInMs: Math.min(askedMs, restMsMax), perMinute: 0 };
}
