import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { amountOf } from "../../shared/sources/web/amount.ts";
import { availabilityOf } from "../../shared/sources/web/availability-word.ts";
import { extractProduct, type Extraction } from "../../shared/sources/web/extract-product.ts";
import { webFields } from "../../shared/sources/web/fields.ts";
import { foundStatus } from "../../shared/scrapers/product-fields.ts";
import { cpuTimer } from "../measure/cpu-timer.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { printTable } from "../measure/print-table.ts";

/** The values that people read from a page. If several prices are right, all are listed. */
interface Truth {
  readonly url: string;
  readonly price?: readonly string[] | null;
  readonly availability?: readonly string[] | null;
}

interface Page {
  readonly url: URL;
  readonly id: string;
  readonly html: string;
  readonly prices: readonly number[];
  readonly availability: string | undefined;
}

/** The results of the bench. Times are CPU milliseconds for one page in a warm process. */
interface WebFigures extends Record<string, unknown> {
  readonly pages: number;
  readonly accuracy: readonly Accuracy[];
  readonly cpuMsMean: number;
  readonly cpuMsMax: number;
}

const warmUpRounds = 3;
const measuredRounds = 5;
const normalisation =
  "A price is correct if it equals one of the page's true prices to the cent. Currencies are not " +
  "compared, because several share one sign in the ground truth. Availability is InStock for every " +
  "schema.org value of a product that can be bought, otherwise OutOfStock. Precision is correct / " +
  "reported values, recall is correct / true values. The ID is the longest sequence of at least five " +
  "digits in the last segment of the page's URL, otherwise that segment.";

export const webOptions = {
  pages: {
    type: "string",
    value: "<folder>",
    required: true,
    about: "the pages, with html/ and ground-truth.json",
  },
} as const;

/**
 * Measures how accurately and how fast product pages of many sites are read. The pages may be
 * gzipped. Prints the progress to stderr.
 * @throws Error if `pages` names no folder, or if the folder cannot be read
 */
export function benchWeb({ pages: folder }: ValuesOf<typeof webOptions>): WebFigures {
  if (folder === undefined) throw new Error("--pages must name a folder.");
  const pages = readPages(folder);
  const progress = progressOf((warmUpRounds + 2) * pages.length, { everyMs: 5_000 });
  const fromEach = <Result>(work: (page: Page) => Result): readonly Result[] =>
    pages.map((page) => {
      progress.begin(page.url.host);
      return work(page);
    });
  for (let round = 0; round < warmUpRounds; round += 1) fromEach(extract);
  const readings = fromEach((page) => ({ page, extraction: extract(page) }));
  const found = readings.map(({ page, extraction }) => ({ page, reported: reported(extraction) }));
  const milliseconds = fromEach(cpuMs);
  return {
    pages: pages.length,
    normalisation,
    accuracy: [
      accuracyOf(
        "price",
        found.map(({ page, reported: { amount } }) => ({
          isThere: page.prices.length > 0,
          isReported: amount !== undefined,
          isRight: amount !== undefined && page.prices.includes(amount),
        })),
      ),
      accuracyOf(
        "availability",
        found.map(({ page, reported: { availability } }) => ({
          isThere: page.availability !== undefined,
          isReported: availability !== undefined,
          isRight: availability !== undefined && availability === page.availability,
        })),
      ),
    ],
    answers: countsOf(readings.map(({ page, extraction }) => statusOf(page, extraction))),
    proofs: countsOf(readings.map(({ extraction }) => extraction.proof)),
    cpuMsMean: round(milliseconds.reduce((sum, one) => sum + one, 0) / pages.length),
    cpuMsMax: round(Math.max(...milliseconds)),
  };
}

/** Prints the measurements as tables. */
export function printWeb(figures: Record<string, unknown>): void {
  const { accuracy, answers, cpuMsMean, cpuMsMax, pages } = figures;
  printTable(`Accuracy on ${String(pages)} pages`, accuracy as object[]);
  printTable("Answers", [answers as object]);
  printTable("CPU milliseconds a page, warm", [{ mean: cpuMsMean, max: cpuMsMax }]);
  process.stdout.write(`\nNormalisation: ${normalisation}\n`);
}

function readPages(folder: string): Page[] {
  const text = readFileSync(join(folder, "ground-truth.json"), "utf8");
  const truths = JSON.parse(text) as Record<string, Truth>;
  return Object.entries(truths).map(([name, { url: address, price, availability }]) => {
    const url = new URL(address);
    const html = readPage(join(folder, "html", `${name}.html`));
    const prices = (price ?? []).map((amount) => amountOf(amount, null) ?? Number(amount));
    return { url, id: idIn(url), html, prices, availability: availability?.[0] };
  });
}

const readPage = (path: string): string =>
  existsSync(path)
    ? readFileSync(path, "utf8")
    : gunzipSync(readFileSync(`${path}.gz`)).toString("utf8");

function idIn({ pathname }: URL): string {
  const step = decodeURIComponent(pathname.replace(/\/+$/, "").split("/").at(-1) ?? "");
  const numbers = step.match(/\d{5,}/g) ?? [];
  return numbers.toSorted((a, b) => b.length - a.length)[0] ?? step;
}

/** Accepts any currency, because the reference data contains no currency. */
const extract = ({ html, id, url }: Page): Extraction =>
  extractProduct(html, { id, url, currency: null });

function reported(extraction: Extraction): {
  readonly amount: number | undefined;
  readonly availability: string | undefined;
} {
  if (extraction.proof !== "product") return { amount: undefined, availability: undefined };
  const { price, availability } = extraction.facts;
  return {
    amount: price?.amount,
    availability: availability && (availabilityOf(availability).inStock ? "InStock" : "OutOfStock"),
  };
}

/**
 * Returns the status that the adapter would return if the page's currency is that of the
 * marketplace.
 */
function statusOf({ url }: Page, extraction: Extraction): string {
  if (extraction.proof === "several") return "partial";
  if (extraction.proof !== "product") return "unavailable";
  const currency = extraction.facts.price?.currency ?? "";
  return foundStatus(webFields(extraction.facts, { platform: "retailer_c", currency, url }));
}

function cpuMs(page: Page): number {
  const spentMs = cpuTimer();
  for (let n = 0; n < measuredRounds; n += 1) extract(page);
  return spentMs() / measuredRounds;
}

interface Accuracy {
  readonly field: string;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly right: number;
  readonly reported: number;
  readonly true: number;
}

interface Judged {
  readonly isThere: boolean;
  readonly isReported: boolean;
  readonly isRight: boolean;
}

function accuracyOf(field: string, judged: readonly Judged[]): Accuracy {
  const right = judged.filter(({ isRight }) => isRight).length;
  const reportedCount = judged.filter(({ isReported }) => isReported).length;
  const trueCount = judged.filter(({ isThere }) => isThere).length;
  const precision = right / reportedCount;
  const recall = right / trueCount;
  const f1 = (2 * precision * recall) / (precision + recall);
  return {
    field,
    precision: round(precision),
    recall: round(recall),
    f1: round(f1),
    right,
    reported: reportedCount,
    true: trueCount,
  };
}

const countsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [
      name,
      all?.length ?? 0,
    ]),
  );

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
