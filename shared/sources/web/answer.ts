import { currencyOf } from "../../platforms/catalog.ts";
import { statusOfFound } from "../../scrapers/product-fields.ts";
import type { Answer } from "../../scrapers/scraper.ts";
import { isBlockTitle } from "./block-page.ts";
import { extractProduct, type ProductFacts } from "./extract-product.ts";
import type { PageReaders } from "./fallback-facts.ts";
import type { Landing } from "./follow.ts";
import { pageHead } from "./page-head.ts";
import { pageText } from "./page-text.ts";
import { addressMentions } from "./wanted-product.ts";
import { type WebPlatform, webFields } from "./fields.ts";

const goneStatus = 410;
const notFoundStatusCode = 404;

/** The values from which an answer is built, in addition to the page. */
export interface PageReading {
  readonly id: string;
  /** The requested address, before any redirect. */
  readonly asked: URL;
  readonly platform: WebPlatform;
  readonly marketplace: string;
  readonly fetchedAt: string;
  /** True if the site returns 404 only for products that do not exist. */
  readonly notFoundStatus: boolean;
  readonly readers: PageReaders;
}

/**
 * Converts a page to the answer for the requested ID. The status is:
 * - `not_found` if the HTTP status shows that the product does not exist;
 * - `ok` or `partial` if the page describes the product;
 * - `partial`, without facts of a product, if the page describes several products and does not show
 *   which one was requested;
 * - `unavailable` otherwise.
 */
export function webAnswer(landing: Landing, reading: PageReading): Answer {
  const { id, fetchedAt, platform, marketplace, readers } = reading;
  const { status, body, headers } = landing.answer;
  const unavailable: Answer = { id, status: "unavailable", fetchedAt };
  if (provesNotFound(landing, reading)) return { id, status: "not_found", fetchedAt };
  const contentType = headers.get("content-type") ?? "";
  if (status !== 200 || !isHtml(contentType)) return unavailable;
  const currency = currencyOf(platform, marketplace);
  const html = pageText(body, contentType);
  const extraction = extractProduct(html, { id, url: landing.url, currency }, readers);
  if (extraction.proof !== "product" && extraction.proof !== "several") return unavailable;
  const facts: ProductFacts = extraction.proof === "product" ? extraction.facts : {};
  const fields = webFields(facts, { platform, currency, url: landing.url });
  return { id, status: statusOfFound(fields), fetchedAt, fields };
}

/**
 * Returns true if the site reports at the product's address that the product does not exist.
 * Returns false for a block page, even if its status is 404 or 410.
 */
function provesNotFound(
  { url, answer }: Landing,
  { id, asked, notFoundStatus }: PageReading,
): boolean {
  const { status, body, headers } = answer;
  const isGoneStatus = status === goneStatus || (notFoundStatus && status === notFoundStatusCode);
  if (!isGoneStatus || !isOwnAddress(url, asked, id)) return false;
  return !isBlockTitle(pageHead(pageText(body, headers.get("content-type") ?? "")));
}

/**
 * Returns true if an address identifies the product: the requested address, or an address with the
 * ID in its path. An ID that is only in the query proves nothing, because the address of a general
 * page, such as a login page, may contain it there.
 */
const isOwnAddress = (url: URL, asked: URL, id: string): boolean =>
  (url.pathname === asked.pathname && url.search === asked.search) ||
  addressMentions(url.pathname, id);

const isHtml = (contentType: string): boolean => /^\s*text\/html\s*(?:;|$)/i.test(contentType);
