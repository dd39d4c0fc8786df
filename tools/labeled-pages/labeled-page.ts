import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as v from "valibot";
import { amountOf } from "../../shared/sources/web/amount.ts";

/** A saved product page, with the values that people read from it. */
export interface LabeledPage {
  readonly url: URL;
  /** The ID of the product in its address. */
  readonly id: string;
  readonly html: string;
  /** The correct prices: none if people read no price, several if each of them is correct. */
  readonly prices: readonly number[];
  /** The words about availability; undefined if people read none. */
  readonly availability: string | undefined;
}

const texts = v.nullish(v.array(v.string()));
/** The correct values of each page, by the name of the page. */
const truthsForm = v.record(
  v.string(),
  v.object({ url: v.string(), price: texts, availability: texts }),
);

export const pagesOption = {
  type: "string",
  value: "<folder>",
  required: true,
  about: "the folder of the labeled pages, with html/ and ground-truth.json",
} as const;

/**
 * Reads labeled pages from a folder: `ground-truth.json`, and a page `html/<name>.html`, possibly
 * gzipped, for each of its entries.
 * @throws Error if `folder` is undefined or cannot be read
 */
export function readLabeledPages(folder: string | undefined): LabeledPage[] {
  if (folder === undefined)
    throw new Error("--pages is required. Name a folder with ground-truth.json.");
  const path = join(folder, "ground-truth.json");
  if (!existsSync(path)) {
    throw new Error(`--pages must name a folder with ground-truth.json (got "${folder}").`);
  }
  const truths = v.parse(truthsForm, JSON.parse(readFileSync(path, "utf8")));
  return Object.entries(truths).map(([name, { url: address, price, availability }]) => {
    const url = new URL(address);
    const html = readPage(join(folder, "html", `${name}.html`));
    const prices = (price ?? []).map((amount) => amountOf(amount, null) ?? Number(amount));
    return { url, id: idIn(url), html, prices, availability: availability?.[0] };
  });
}

/**
 * Reads a saved page. `path` may end in `.gz` or not: reads the file without `.gz` if it exists,
 * otherwise decompresses the file with `.gz`.
 * @throws Error if neither file exists
 */
export function readPage(path: string): string {
  const plain = path.replace(/\.gz$/, "");
  return existsSync(plain)
    ? readFileSync(plain, "utf8")
    : gunzipSync(readFileSync(`${plain}.gz`)).toString("utf8");
}

/**
 * Returns the longest number of at least five digits in the last segment of the path. If the
 * segment has no such number, returns the segment.
 */
function idIn({ pathname }: URL): string {
  const step = decodeURIComponent(pathname.replace(/\/+$/, "").split("/").at(-1) ?? "");
  const numbers = step.match(/\d{5,}/g) ?? [];
  return numbers.toSorted((a, b) => b.length - a.length)[0] ?? step;
}

/**
 * Returns the name of the site of a page, such as `shop` of `www.shop.co.uk`. Pages of one shop in
 * several countries look alike, so they count as one site.
 */
export function siteOf({ hostname }: URL): string {
  const parts = hostname.split(".");
  const isLongSuffix = parts.length > 2 && (parts.at(-2) ?? "").length <= 3;
  return parts.at(isLongSuffix ? -3 : -2) ?? hostname;
}

/**
 * Splits pages into at most `count` folds of similar size. All pages of a site are in one fold.
 */
export function foldsBySite(
  pages: readonly LabeledPage[],
  count: number,
): (readonly LabeledPage[])[] {
  const folds: LabeledPage[][] = Array.from({ length: count }, () => []);
  const sites = [...Map.groupBy(pages, ({ url }) => siteOf(url))];
  for (const [, ofSite] of sites.toSorted(([a, one], [b, other]) =>
    other.length === one.length ? a.localeCompare(b) : other.length - one.length,
  )) {
    const smallest = folds.reduce((best, fold) => (fold.length < best.length ? fold : best));
    smallest.push(...ofSite);
  }
  return folds.filter((fold) => fold.length > 0);
}
