import { isPageAnswer } from "../http/page-answer.ts";
import type { SourceReply } from "../http/source-client.ts";

type Answered = Extract<SourceReply, { kind: "answered" }>;

/** What a 403 of the products API is about, as far as its text tells. */
type ForbiddenReason = "too_often" | "wrong_key" | "unclear";

const forbiddenStatus = 403;
/** Enough for any message; what comes behind it may be a whole page. */
const textBytesMax = 4_096;
const limitWords =
  /(?<![a-z])(?:quota|qps|rate|limits?|exceed[a-z]*|throttl[a-z]*|too many)(?![a-z])/i;
const keyName = String.raw`(?<![a-z])(?:api ?)?key(?![a-z])`;
const ended = String.raw`(?<![a-z])(?:invalid|inactive|disabled|expired|exceeded its trial)(?![a-z])`;
/** Within a sentence. */
const near = "[^.:;!?]{0,40}";
const endedKey = new RegExp(`${keyName}${near}${ended}|${ended}${near}${keyName}`, "i");
const keyWords = /(?<![a-z])(?:api ?key|key|developer|account|credentials?)(?![a-z])/i;

/**
 * The API says 403 when it is called too often as well as when it does not know the key. Words about
 * a limit come before the key's name, as they may name the key that is over it; what ends a key comes
 * before both.
 */
export function forbiddenReason({ body }: Answered): ForbiddenReason {
  const text = new TextDecoder().decode(body.subarray(0, textBytesMax));
  if (endedKey.test(text)) return "wrong_key";
  if (limitWords.test(text)) return "too_often";
  return keyWords.test(text) ? "wrong_key" : "unclear";
}

/**
 * Whether the API turns its caller away, whatever is asked for. A wrong key is mended by the
 * operator at any moment: leaving the API alone for a while would only put that off.
 */
export const isCatalogBlock = (answer: Answered): boolean =>
  answer.status === forbiddenStatus
    ? forbiddenReason(answer) !== "wrong_key"
    : isPageAnswer(answer);
