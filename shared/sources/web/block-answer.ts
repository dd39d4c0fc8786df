import { isBlockPage } from "./block-page.ts";
import type { Answered } from "./follow.ts";
import { pageHead } from "./page-head.ts";
import { pageText } from "./page-text.ts";

const productMarks = /application\/ld\+json|\bitemprop\b|["']og:type["']/i;

/**
 * Whether an answer is a page that keeps readers out, whatever its status says: for the circuit of
 * the client. Statuses that say so themselves are the client's own to know.
 */
export function isBlockAnswer({ status, body, headers }: Answered): boolean {
  const contentType = headers.get("content-type") ?? "";
  if (status !== 200 || !/^\s*text\/html/i.test(contentType)) return false;
  const html = pageText(body, contentType);
  return !productMarks.test(html) && isBlockPage(html, pageHead(html));
}
