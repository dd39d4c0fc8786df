/**
 * Replays recorded price histories through the service, and compares what it decides and stores with
 * DuckDB: `npm run replay -- --prices <folder>`. Exits with 1 if there is a difference.
 */
import { printTable } from "./measure/print-table.ts";
import type { Comparison } from "./replay/judge.ts";
import { shopsIn } from "./replay/price-files.ts";
import { settings } from "./replay/settings.ts";
import { replayPrices, type ReplayResult } from "./replay/replay.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";

const productsDefault = "1000";

const commandLine = {
  name: "npm run replay",
  about:
    "Replays price histories through watchlists, one run a day, and compares the history and the " +
    "decisions of routes and brakes with DuckDB, and back-tests with the events of the runs.",
  options: {
    prices: {
      type: "string",
      value: "<folder>",
      required: true,
      about:
        "files <shop>.jsonl.gz with one line per product: {id, prices: [[YYYY-MM-DD, amount], …]}",
    },
    shop: {
      type: "string",
      value: "<name>",
      multiple: true,
      about: "a file without its ending, repeatable (default: all)",
    },
    products: {
      type: "string",
      value: "<number>",
      about: `the largest number of products of a shop (default: ${productsDefault})`,
    },
    all: { type: "boolean", about: "all products" },
    records: {
      type: "string",
      value: "<folder>",
      about: "keeps what the service decided and stored, as JSON lines",
    },
    json: jsonOption,
  },
  examples: ["--prices ./prices", "--prices ./prices --shop north --all --json"],
} as const;

interface Values {
  readonly prices?: string;
  readonly shop?: readonly string[];
  readonly products?: string;
  readonly all?: boolean;
  readonly records?: string;
  readonly json?: boolean;
}

async function main({ prices, shop, products, all, records, json }: Values): Promise<number> {
  if (prices === undefined) throw new Error("--prices is required. Name the folder of the files.");
  const known = shopsIn(prices);
  for (const name of shop ?? []) {
    if (known.includes(name)) continue;
    throw new Error(`--shop must be one of: ${known.join(", ")} (got "${name}").`);
  }
  const result = await replayPrices({
    prices,
    shops: shop ?? known,
    productsMax: all === true ? Infinity : wholeNumber(products ?? productsDefault),
    ...(records !== undefined && { records }),
  });
  if (json === true) process.stdout.write(`${JSON.stringify(result)}\n`);
  else print(result);
  const compared = [...(result.comparisons ?? []), ...result.backtests];
  return compared.some(isDifferent) ? 1 : 0;
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`--products must be a whole number from 1 to 9999999 (got "${text}").`);
}

const isDifferent = (one: { readonly missing: number; readonly unexpected: number }): boolean =>
  one.missing + one.unexpected > 0;

function print({ comparisons, backtests, played, ...result }: ReplayResult): void {
  const { products, productsInFiles, firstDay, lastDay, seconds } = result;
  const share = ((100 * products) / productsInFiles).toFixed(1);
  process.stdout.write(`
Replayed ${count(products)} of ${count(productsInFiles)} products (${share}%), ${firstDay} to ${lastDay}.
${count(played.days)} days, ${count(played.runs)} runs, ${count(played.reads)} reads, ${count(seconds)} s.
The brakes passed ${count(played.passed)} runs, held ${count(played.held)} runs with all prices multiplied by ${settings.wrongTimes},
and ${count(played.heldForShape)} runs with a fifth of the prices multiplied by ${settings.wrongTimes}.
`);
  printComparisons("Back-tests, compared with the events of the runs", backtests, [
    "only the runs",
    "only the back-test",
  ]);
  if (comparisons === null) {
    process.stdout.write(
      "NOT COMPARED with DuckDB: the package @duckdb/node-api does not work on this machine.\n",
    );
    return;
  }
  printComparisons("The service, compared with DuckDB", comparisons, [
    "only DuckDB",
    "only the service",
  ]);
}

function printComparisons(
  title: string,
  comparisons: readonly Comparison[],
  [missingIn, unexpectedIn]: readonly [string, string],
): void {
  printTable(
    title,
    comparisons.map(({ name, equal, missing, unexpected }) => ({
      comparison: name,
      equal: count(equal),
      [missingIn]: count(missing),
      [unexpectedIn]: count(unexpected),
    })),
  );
  for (const { name, examples } of comparisons) {
    for (const example of examples) process.stdout.write(`DIFFERENT ${name}: ${example}\n`);
  }
}

const count = (n: number): string => n.toLocaleString("en-US");

await runCommand(commandLine, ({ values }) => main(values), { exit: "after the command" });
