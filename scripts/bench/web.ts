import { extractProduct, type Extraction } from "../../shared/sources/web/extract-product.ts";
import { allFallbacks, type Fallback } from "../../shared/sources/web/fallback-facts.ts";
import { webFields } from "../../shared/sources/web/fields.ts";
import { statusOfFound } from "../../shared/scrapers/product-fields.ts";
import type { ForestTable } from "../../shared/sources/web/visible/forest.ts";
import { cpuTimer } from "../measure/cpu-timer.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import {
  foldsBySite,
  type LabeledPage,
  pagesOption,
  readLabeledPages,
} from "../../tools/labeled-pages/labeled-page.ts";
import { samplesOf, fitForest } from "../../tools/labeled-pages/train-forest.ts";
import { printTable } from "../measure/print-table.ts";
import { type Accuracy, availabilityAccuracy, priceAccuracy, rounded } from "./web/accuracy.ts";

/** The results of the bench. Times are CPU milliseconds for one page in a warm process. */
interface WebMetrics extends Record<string, unknown> {
  readonly pages: number;
  readonly forest: string;
  readonly price: readonly Accuracy[];
  readonly availability: readonly Accuracy[];
  readonly cpu: readonly object[];
}

const measuredRounds = 3;
const foldsMax = 10;
const normalization =
  "A price is correct if it equals one of the page's true prices to the cent. Currencies are not " +
  "compared, because several share one sign in the ground truth. Availability is InStock for every " +
  "schema.org value of a product that can be bought, otherwise OutOfStock. Precision is correct / " +
  "reported values, recall is correct / true values. The ID is the longest sequence of at least five " +
  "digits in the last segment of the page's URL, otherwise that segment.";

interface Variant {
  readonly fallbacks: ReadonlySet<Fallback>;
  readonly hasForest: boolean;
}

const markupOnly: Variant = { fallbacks: new Set(), hasForest: false };
const everything: Variant = { fallbacks: allFallbacks, hasForest: true };

/**
 * The compared methods to read a page. All methods use the markup. No method uses extraction rules,
 * because a deployer writes such rules for one shop.
 */
const variants: Readonly<Record<string, Variant>> = {
  "markup only": markupOnly,
  "markup + embedded state": { fallbacks: new Set(["state"]), hasForest: false },
  "markup + visible text": { fallbacks: new Set(["visible"]), hasForest: false },
  "markup + learned": { fallbacks: new Set(), hasForest: true },
  "all (the adapter)": everything,
};

export const webOptions = {
  pages: pagesOption,
  train: {
    type: "string",
    value: "<folder>",
    about: "pages to train the forest with; without it, the measured pages of other sites",
  },
} as const;

/**
 * Measures the accuracy and the speed of each method to read product pages of many sites. Without
 * `values.train`, the forest that reads a page was trained only with pages of other sites. Prints
 * the progress to stderr.
 * @param values.pages The folder of the pages, which may be gzipped.
 * @param values.train A folder of other pages, with which the forest is trained.
 * @throws Error if a folder cannot be read.
 */
export function benchWeb({ pages: folder, train }: ValuesOf<typeof webOptions>): WebMetrics {
  const pages = readLabeledPages(folder);
  const forests = forestsFor(pages, train);
  const names = Object.entries(variants);
  const progress = progressOf(names.length + 1, { everyMs: 5_000 });
  const measured = names.map(([readers, variant]) => {
    progress.begin(readers);
    const readings = pages.map((page) => ({ page, extraction: extract(page, variant, forests) }));
    return { readers, readings };
  });
  progress.begin("CPU");
  const all = measured.at(-1)?.readings ?? [];
  return {
    pages: pages.length,
    forest:
      train === undefined
        ? `cross-validated by site: trained with the pages of the other folds, of ${foldsMax}`
        : "trained with the pages of the other folder",
    normalization,
    price: measured.map(({ readers, readings }) => priceAccuracy(readers, readings)),
    availability: measured.map(({ readers, readings }) => availabilityAccuracy(readers, readings)),
    answers: countsOf(all.map(({ page, extraction }) => statusOf(page, extraction))),
    proofs: countsOf(all.map(({ extraction }) => extraction.proof)),
    cpu: cpuOf(pages, forests),
  };
}

/** Prints the result of `benchWeb` to stdout as tables. */
export function printWeb(tables: Record<string, unknown>): void {
  const { price, availability, answers, cpu, pages, forest } = tables;
  printTable(`Price on ${String(pages)} pages`, price as object[]);
  printTable(`Availability on ${String(pages)} pages`, availability as object[]);
  printTable("Answers of the adapter", [answers as object]);
  printTable("CPU milliseconds per page, warm", cpu as object[]);
  process.stdout.write(`\nThe forest is ${String(forest)}.\nNormalization: ${normalization}\n`);
}

type Forests = ReadonlyMap<LabeledPage, ForestTable>;

/**
 * Returns the forest for each page. If `train` is undefined, the forest of a page was trained only
 * with pages of other sites. Otherwise all pages have the forest that was trained with the pages in
 * the folder `train`.
 */
function forestsFor(pages: readonly LabeledPage[], train: string | undefined): Forests {
  if (train !== undefined) {
    const forest = fitForest(readLabeledPages(train).flatMap(samplesOf));
    return new Map(pages.map((page) => [page, forest]));
  }
  const samples = new Map(pages.map((page) => [page, samplesOf(page)]));
  return new Map(
    foldsBySite(pages, foldsMax).flatMap((fold) => {
      const others = pages.filter((page) => !fold.includes(page));
      const forest = fitForest(others.flatMap((page) => samples.get(page) ?? []));
      return fold.map((page) => [page, forest] as const);
    }),
  );
}

/** Accepts any currency, because the reference data contains no currency. */
const extract = (
  page: LabeledPage,
  { fallbacks, hasForest }: Variant,
  forests: Forests,
): Extraction =>
  extractProduct(
    page.html,
    { id: page.id, url: page.url, currency: null },
    { fallbacks, forest: hasForest ? forests.get(page) : undefined },
  );

/**
 * Returns the status that the adapter `web` would return if the price on the page were in the
 * currency of the marketplace.
 */
function statusOf({ url }: LabeledPage, extraction: Extraction): string {
  if (extraction.proof === "several") return "partial";
  if (extraction.proof !== "product") return "unavailable";
  const currency = extraction.facts.price?.currency ?? "";
  return statusOfFound(webFields(extraction.facts, { platform: "retailer_c", currency, url }));
}

/**
 * Measures the CPU time of an extraction from the markup alone, and of an extraction with all
 * methods, on the same pages.
 */
function cpuOf(pages: readonly LabeledPage[], forests: Forests): object[] {
  const times = pages.map(
    (page) => [cpuMs(page, markupOnly, forests), cpuMs(page, everything, forests)] as const,
  );
  const markup = times.map(([ms]) => ms);
  const whole = times.map(([, ms]) => ms);
  const more = times.map(([without, ms]) => ms - without);
  return [
    { readers: "markup only", ...meanAndMax(markup) },
    { readers: "all (the adapter)", ...meanAndMax(whole) },
    { readers: "the fallbacks", ...meanAndMax(more) },
  ];
}

const meanAndMax = (milliseconds: readonly number[]): object => ({
  mean: rounded(milliseconds.reduce((sum, one) => sum + one, 0) / milliseconds.length),
  max: rounded(Math.max(...milliseconds)),
});

function cpuMs(page: LabeledPage, variant: Variant, forests: Forests): number {
  const spentMs = cpuTimer();
  for (let n = 0; n < measuredRounds; n += 1) extract(page, variant, forests);
  return spentMs() / measuredRounds;
}

const countsOf = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [
      name,
      all?.length ?? 0,
    ]),
  );
