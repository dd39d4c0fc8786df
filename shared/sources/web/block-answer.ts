import { isBlockTitle, isBlockPage } from "./block-page.ts";
import type { Answered } from "./follow.ts";
import { pageHead } from "./page-head.ts";
import { pageText } from "./page-text.ts";

const productMarks = /application\/ld\+json|\bitemprop\b|["']og:type["']/i;
/** Statuses, in addition to 403, with which block pages are sent. */
const disguises: ReadonlySet<number> = new Set([200, 404, 410]);
const okStatus = 200;

const forbiddenStatus = 403;

/**
 * Returns true if a response shows that the site blocks the client, judged by the status of the
 * response or the text of its page. Several such responses open the client's circuit. A short page
 * alone does not count as a block, because shops have short pages for delisted items. For a status
 * of 404 or 410, only the title of the page is checked.
 */
export function isBlockAnswer({ status, body, headers }: Answered): boolean {
  if (status === forbiddenStatus) return true;
  const contentType = headers.get("content-type") ?? "";
  if (!disguises.has(status) || !/^\s*text\/html/i.test(contentType)) return false;
  const html = pageText(body, contentType);
  if (productMarks.test(html)) return false;
  const head = pageHead(html);
  return status === okStatus ? isBlockPage(html, head) : isBlockTitle(head);
}
