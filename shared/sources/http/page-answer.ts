import type { Answered } from "./polite-client.ts";

const okStatus = 200;
const forbiddenStatus = 403;
/** White space that may stand before a page, and a byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const lessThan = 0x3c;

/** Whether a source of JSON turns its caller away. */
export const isTurnedAway = (answer: Answered): boolean =>
  answer.status === forbiddenStatus || isPageAnswer(answer);

/**
 * Whether what should be JSON is a page: somebody between here and the source keeps readers out.
 * The body tells, since many servers call JSON something else.
 */
export const isPageAnswer = ({ status, body }: Answered): boolean =>
  status === okStatus && isPage(body);

/**
 * Whether somebody before a source keeps readers out, where the source's own 403 is about the key
 * and says nothing to those who have another.
 */
export const isKeptOut = ({ status, body }: Answered): boolean =>
  (status === okStatus || status === forbiddenStatus) && isPage(body);

const isPage = (body: Uint8Array): boolean => body.find((byte) => !blanks.has(byte)) === lessThan;
