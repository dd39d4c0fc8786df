import type { Answered } from "./polite-client.ts";

const okStatus = 200;
const forbiddenStatus = 403;
/** White space before a page, and a byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const lessThan = 0x3c;

/** Returns true if a JSON source refuses its caller. */
export const isCallerRefused = (answer: Answered): boolean =>
  answer.status === forbiddenStatus || isPageAnswer(answer);

/**
 * Returns true if a page arrived in place of JSON: a proxy in front of the source blocks the
 * caller. Checks the body, because many servers declare another content type for JSON.
 */
export const isPageAnswer = ({ status, body }: Answered): boolean =>
  status === okStatus && isPage(body);

/**
 * Returns true if a proxy in front of the source blocks the caller. For sources whose own 403 is
 * about the key and does not concern callers with another key.
 */
export const isBlockedByProxy = ({ status, body }: Answered): boolean =>
  (status === okStatus || status === forbiddenStatus) && isPage(body);

const isPage = (body: Uint8Array): boolean => body.find((byte) => !blanks.has(byte)) === lessThan;
