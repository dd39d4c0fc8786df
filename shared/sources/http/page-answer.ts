import type { Answered } from "./polite-client.ts";

const okStatus = 200;
const forbiddenStatus = 403;
/** Bytes that may precede a page: white space and the byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const lessThan = 0x3c;

/**
 * Returns true if a source that returns JSON refuses all calls of this service: with status 403, or
 * with an HTML page instead of JSON.
 */
export const isCallerRefused = (answer: Answered): boolean =>
  answer.status === forbiddenStatus || isPageAnswer(answer);

/**
 * Returns true if a response with status 200 is an HTML page instead of JSON. A proxy in front of
 * the source then blocks the caller. A body is a page if its first character after white space is
 * `<`. The content type is not checked, because many servers declare a wrong one for JSON.
 */
export const isPageAnswer = ({ status, body }: Answered): boolean =>
  status === okStatus && isPage(body);

/**
 * Returns true if a response is an HTML page with status 200 or 403. A proxy in front of the source
 * then blocks the caller. Use this function for sources that return a 403 in JSON for a wrong key,
 * which is not a block.
 */
export const isBlockedByProxy = ({ status, body }: Answered): boolean =>
  (status === okStatus || status === forbiddenStatus) && isPage(body);

const isPage = (body: Uint8Array): boolean => body.find((byte) => !blanks.has(byte)) === lessThan;
