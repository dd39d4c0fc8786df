/**
 * Runs a benchmark: `npm run bench -- <name>`. Most results are ratios of two measurements in one
 * run, because absolute times differ between machines.
 */
import { accountOptions, benchAccount, printAccount } from "./bench/account.ts";
import { benchApi, printApi } from "./bench/api.ts";
import { benchBundles, printBundles } from "./bench/bundles.ts";
import { benchDashboard, dashboardOptions, printDashboard } from "./bench/dashboard.ts";
import { benchDelivery } from "./bench/delivery.ts";
import { printDelivery } from "./bench/delivery/results.ts";
import { benchEndpoint, endpointOptions, printEndpoint } from "./bench/endpoint.ts";
import { benchGate, gateOptions, printGate } from "./bench/gate.ts";
import { benchHistory, printHistory } from "./bench/history.ts";
import { benchInFlight, inFlightOptions, printInFlight } from "./bench/in-flight.ts";
import { benchKey, keyOptions, printKey } from "./bench/key.ts";
import { benchReference, printReference, referenceOptions } from "./bench/reference.ts";
import { benchRuns, printRuns, runsOptions } from "./bench/runs.ts";
import { benchWeb, printWeb, webOptions } from "./bench/web.ts";
import {
  runCommandGroup,
  type Subcommand,
  subcommand,
} from "../tools/command-line/command-group.ts";
import { jsonOption, type OptionList, type ValuesOf } from "../tools/command-line/command-line.ts";

/** A benchmark of `npm run bench`. */
interface Bench<Options extends OptionList> {
  readonly about: string;
  readonly options: Options;
  /** Arguments of a typical call. */
  readonly example: string;
  /** Measures. Returns the results, usually as rows by the title of their table. */
  readonly run: (
    values: ValuesOf<Options>,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  readonly print: (result: Record<string, unknown>) => void;
}

const name = "npm run bench";
const common = { json: jsonOption };

function bench<Options extends OptionList>(
  word: string,
  { about, options, example, run, print }: Bench<Options>,
): Record<string, Subcommand> {
  const commandLine = {
    name: `${name} -- ${word}`,
    about,
    options: { ...options, ...common },
    examples: [example, `${example} --json`.trimStart()],
  };
  const command = subcommand<OptionList>(commandLine, async ({ values }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by these options
    const result = await run(values as ValuesOf<Options>);
    if (values["json"] === true) process.stdout.write(`${JSON.stringify(result)}\n`);
    else print(result);
  });
  return { [word]: command };
}

await runCommandGroup({
  name,
  about: "Measures what the service costs. Each bench takes one minute to several.",
  noun: "bench",
  commands: {
    ...bench("account", {
      about: "Calls per second of one busy account.",
      options: accountOptions,
      example: "--environments 250 --work 0.5",
      run: benchAccount,
      print: printAccount,
    }),
    ...bench("api", {
      about: "The cost of an API call.",
      options: {},
      example: "",
      run: benchApi,
      print: printApi,
    }),
    ...bench("bundles", {
      about: "What each function loads at a cold start, and which imports load it.",
      options: {},
      example: "",
      run: benchBundles,
      print: printBundles,
    }),
    ...bench("dashboard", {
      about: "How fast the pages of the dashboard are in Chromium, with 50 watchlists.",
      options: dashboardOptions,
      example: "--dir /tmp/dashboard-bench",
      run: benchDashboard,
      print: printDashboard,
    }),
    ...bench("delivery", {
      about: "The cost of a delivery and of an exported object.",
      options: {},
      example: "",
      run: benchDelivery,
      print: printDelivery,
    }),
    ...bench("endpoint", {
      about: "The events per second that one busy webhook endpoint receives.",
      options: endpointOptions,
      example: "--at-once 4,100 --answer-ms 200",
      run: benchEndpoint,
      print: printEndpoint,
    }),
    ...bench("gate", {
      about:
        "Compares requests, units and CPU ratios with the committed ones. Exit code 1 if they differ.",
      options: gateOptions,
      example: "--counts",
      run: benchGate,
      print: printGate,
    }),
    ...bench("history", {
      about: "The cost of the history of items, with its budgets.",
      options: {},
      example: "",
      run: benchHistory,
      print: printHistory,
    }),
    ...bench("in-flight", {
      about: "Many simultaneous calls of one account.",
      options: inFlightOptions,
      example: "--calls 200 --in-flight 50",
      run: benchInFlight,
      print: printInFlight,
    }),
    ...bench("key", {
      about: "The rate limit of one key under load.",
      options: keyOptions,
      example: "--attempts 333 --seconds 10",
      run: benchKey,
      print: printKey,
    }),
    ...bench("reference", {
      about: "The time to the first view of the API reference, in Chromium.",
      options: referenceOptions,
      example: "--views 3",
      run: benchReference,
      print: printReference,
    }),
    ...bench("runs", {
      about: "The cost of a run, by number of items and kind of run.",
      options: runsOptions,
      example: "--items 1000,50000",
      run: benchRuns,
      print: printRuns,
    }),
    ...bench("web", {
      about: "The precision of the adapter for product pages.",
      options: webOptions,
      example: "--pages ./pages",
      run: benchWeb,
      print: printWeb,
    }),
  },
  options: common,
  examples: ["api", "account --environments 250 --json", "key --help"],
});
