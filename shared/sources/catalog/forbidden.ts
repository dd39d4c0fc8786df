import { isPageAnswer } from "../http/page-answer.ts";
import type { SourceReply } from "../http/source-client.ts";

type Answered = Extract<SourceReply, { kind: "answered" }>;

/** The reason for a 403 of the source, derived from its body. */
type ForbiddenReason = "rate_limited" | "wrong_key" | "unclear";

const forbiddenStatus = 403;
/**
 * Number of bytes of the body that are searched, which is enough for any error message. A longer
 * body is an HTML page.
 */
const textBytesMax = 4_096;
const limitWords =
  /(?<![a-z])(?:quota|qps|rate|limits?|exceed[a-z]*|throttl[a-z]*|too many)(?![a-z])/i;
const keyName = String.raw`(?<![a-z])(?:api ?)?key(?![a-z])`;
const ended = String.raw`(?<![a-z])(?:invalid|inactive|disabled|expired|exceeded its trial)(?![a-z])`;
/** Pattern of up to 40 characters within one sentence. */
const near = "[^.:;!?]{0,40}";
const endedKey = new RegExp(`${keyName}${near}${ended}|${ended}${near}${keyName}`, "i");
const keyWords = /(?<![a-z])(?:api ?key|key|developer|account|credentials?)(?![a-z])/i;

/**
 * Returns the reason for a 403 response of the source, which sends 403 both for too many calls and
 * for an unknown key. Searches the first 4 KB of the body in this order:
 * 1. an invalid, inactive or expired key: `wrong_key`;
 * 2. words about a limit: `rate_limited`. This search precedes the search for a key, because a
 *    message about a limit may name the key that exceeded the limit;
 * 3. words about a key or an account: `wrong_key`.
 * Returns `unclear` if the body contains none of these.
 */
export function forbiddenReason({ body }: Answered): ForbiddenReason {
  const text = new TextDecoder().decode(body.subarray(0, textBytesMax));
  if (endedKey.test(text)) return "wrong_key";
  if (limitWords.test(text)) return "rate_limited";
  return keyWords.test(text) ? "wrong_key" : "unclear";
}

/**
 * Wait after a response 403 for too many calls, in milliseconds. One second is enough, because the
 * API limits the calls per second.
 */
const waitMs = 1_000;

/**
 * Returns how long the client must wait, in milliseconds, after a 403 response for too many calls.
 * Returns undefined for any other response.
 */
export const catalogWait = (answer: Answered): { readonly waitMs: number } | undefined =>
  answer.status === forbiddenStatus && forbiddenReason(answer) === "rate_limited"
    ? { waitMs }
    : undefined;

/**
 * Returns true if the circuit of the source must count a response as a refusal of this service: for
 * an HTML page with status 200, and for a 403 unless its reason is a wrong key. The operator may
 * replace a wrong key at any time, and an open circuit would delay the recovery.
 */
export const isCatalogBlock = (answer: Answered): boolean =>
  answer.status === forbiddenStatus
    ? forbiddenReason(answer) !== "wrong_key"
    : isPageAnswer(answer);
