import { isBlockTitle, saysBlocked } from "./block-page.ts";
import type { Answered } from "./follow.ts";
import { pageHead } from "./page-head.ts";
import { pageText } from "./page-text.ts";

const productMarks = /application\/ld\+json|\bitemprop\b|["']og:type["']/i;
/** With these a page may come that keeps readers out. */
const disguises: ReadonlySet<number> = new Set([200, 404, 410]);
const okStatus = 200;

const forbiddenStatus = 403;

/**
 * Whether an answer keeps readers out, or is a page that says so though its status does not: for
 * the circuit of the client. A page that is only short says no such thing: shops have small pages
 * for what they no longer sell; nor do words within one whose status is that there is nothing.
 */
export function isBlockAnswer({ status, body, headers }: Answered): boolean {
  if (status === forbiddenStatus) return true;
  const contentType = headers.get("content-type") ?? "";
  if (!disguises.has(status) || !/^\s*text\/html/i.test(contentType)) return false;
  const html = pageText(body, contentType);
  if (productMarks.test(html)) return false;
  const head = pageHead(html);
  return status === okStatus ? saysBlocked(html, head) : isBlockTitle(head);
}
