/** Measures what the service costs, as ratios taken in one run. */
import { accountUsage, benchAccount, printAccount } from "./bench/account.ts";
import { benchApi, printApi } from "./bench/api.ts";
import { benchDelivery } from "./bench/delivery.ts";
import { printDelivery } from "./bench/delivery-figures.ts";
import { benchInFlight, inFlightUsage, printInFlight } from "./bench/in-flight.ts";
import { benchKey, keyUsage, printKey } from "./bench/key.ts";
import { benchReference, printReference, referenceUsage } from "./bench/reference.ts";
import { benchRuns, printRuns } from "./bench/runs.ts";
import { benchWatchlists, printWatchlists } from "./bench/watchlists.ts";
import { benchWeb, printWeb, webUsage } from "./bench/web.ts";
import { didYouMean } from "../shared/base/nearest.ts";
import { asksForHelp, parseOptions } from "../tools/command-line/command-line.ts";
import { failureMessage } from "../tools/command-line/failure.ts";

interface Bench {
  readonly about: string;
  /** Its options, if it has any besides `--json`. */
  readonly usage?: string;
  readonly run: () => Promise<Record<string, unknown>>;
  readonly print: (figures: Record<string, unknown>) => void;
  /** False for a bench without tables; the others reconcile theirs at the end. */
  readonly keepsRows?: false;
}

const benches: Readonly<Record<string, Bench>> = {
  account: {
    about: "Calls per second of one busy account.",
    usage: accountUsage,
    run: benchAccount,
    print: printAccount,
  },
  api: { about: "The cost of an API call.", run: benchApi, print: printApi },
  delivery: {
    about: "The cost of a delivery and of an exported object.",
    run: benchDelivery,
    print: printDelivery,
  },
  "in-flight": {
    about: "Many simultaneous calls of one account.",
    usage: inFlightUsage,
    run: benchInFlight,
    print: printInFlight,
  },
  key: {
    about: "The rate limit of one key under load.",
    usage: keyUsage,
    run: benchKey,
    print: printKey,
    keepsRows: false,
  },
  reference: {
    about: "The time to the first view of the API reference, in Chromium.",
    usage: referenceUsage,
    run: benchReference,
    print: printReference,
    keepsRows: false,
  },
  runs: {
    about: "The cost of a run, by number of items and kind of run.",
    run: benchRuns,
    print: printRuns,
  },
  watchlists: {
    about: "The cost of stored pages of items, compared with a row for each item.",
    run: benchWatchlists,
    print: printWatchlists,
  },
  web: {
    about: "The precision of the adapter for product pages.",
    usage: webUsage,
    run: benchWeb,
    print: printWeb,
    keepsRows: false,
  },
};

const width = Math.max(...Object.keys(benches).map((name) => name.length));
const help = `Measures what the service costs. Each bench takes one minute to several.

Usage: npm run bench -- <bench> [options]
${Object.entries(benches)
  .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
  .join("\n")}

  --json      prints the result as JSON on the last line, without tables
  --help, -h  prints this text, or the options of a bench

Examples:
  npm run bench -- api
  npm run bench -- account --environments 250 --json
  npm run bench -- key --help
`;

const helpOf = (name: string, { about, usage }: Bench): string =>
  `${about}\n\n${usage ?? `npm run bench -- ${name}\n`}  --json                           prints the result as JSON on the last line, without tables

Example:
  npm run bench -- ${name} --json
`;

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name.startsWith("-")) {
    process.stdout.write(help);
    if (name === undefined || asksForHelp([name])) return name === undefined ? 1 : 0;
    throw new Error(`The first argument must be a bench (got "${name}").`);
  }
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (bench === undefined) {
    throw new Error(
      `There is no bench "${name}".${didYouMean(name, Object.keys(benches))} Benches: ${Object.keys(benches).join(", ")}`,
    );
  }
  if (asksForHelp(args)) {
    process.stdout.write(helpOf(name, bench));
    return 0;
  }
  if (bench.usage === undefined) parseOptions(args, { json: { type: "boolean" } });
  const figures = await bench.run();
  if (!args.includes("--json")) {
    if (bench.keepsRows === false) process.stdout.write("\nreconcile: this bench keeps no rows\n");
    bench.print(figures);
  }
  process.stdout.write(`\n${JSON.stringify(figures)}\n`);
  return 0;
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${failureMessage(error)}\n`);
  return 1;
});
process.exit(code);
