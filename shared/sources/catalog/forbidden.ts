import { isPageAnswer } from "../http/page-answer.ts";
import type { SourceReply } from "../http/source-client.ts";

type Answered = Extract<SourceReply, { kind: "answered" }>;

/** The reason of a 403 of the products API, derived from its text. */
type ForbiddenReason = "rate_limited" | "wrong_key" | "unclear";

const forbiddenStatus = 403;
/** Long enough for any message. The rest may be a complete page. */
const textBytesMax = 4_096;
const limitWords =
  /(?<![a-z])(?:quota|qps|rate|limits?|exceed[a-z]*|throttl[a-z]*|too many)(?![a-z])/i;
const keyName = String.raw`(?<![a-z])(?:api ?)?key(?![a-z])`;
const ended = String.raw`(?<![a-z])(?:invalid|inactive|disabled|expired|exceeded its trial)(?![a-z])`;
/** Limits the distance and stays within one sentence. */
const near = "[^.:;!?]{0,40}";
const endedKey = new RegExp(`${keyName}${near}${ended}|${ended}${near}${keyName}`, "i");
const keyWords = /(?<![a-z])(?:api ?key|key|developer|account|credentials?)(?![a-z])/i;

/**
 * Derives the reason of a 403: the API sends it for too many calls and for an unknown key.
 *
 * Words about a limit have priority over the word "key", because they may name the key that is over
 * the limit. Words that end a key have priority over both.
 */
export function forbiddenReason({ body }: Answered): ForbiddenReason {
  const text = new TextDecoder().decode(body.subarray(0, textBytesMax));
  if (endedKey.test(text)) return "wrong_key";
  if (limitWords.test(text)) return "rate_limited";
  return keyWords.test(text) ? "wrong_key" : "unclear";
}

/**
 * Returns true if the API refuses its caller, whatever the request. A wrong key does not count: the
 * operator may fix it at any time, and an open circuit would delay the recovery.
 */
export const isCatalogBlock = (answer: Answered): boolean =>
  answer.status === forbiddenStatus
    ? forbiddenReason(answer) !== "wrong_key"
    : isPageAnswer(answer);
