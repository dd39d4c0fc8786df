/**
 * Runs a benchmark: `npm run bench -- <name>`. Most results are ratios of two measurements in one
 * run, because absolute times differ between machines.
 */
import { runCommandGroup, type Subcommand } from "../tools/command-line/command-group.ts";
import {
  jsonOption,
  type OptionList,
  runWith,
  type ValuesOf,
} from "../tools/command-line/command-line.ts";

/** A benchmark of `npm run bench`. */
interface Bench<Options extends OptionList> {
  readonly about: string;
  /** The arguments of a typical call. */
  readonly example: string;
  /** Imports the code of the bench. The help of the other benches does not need to load it. */
  readonly load: () => Promise<Loaded<Options>>;
}

interface Loaded<Options extends OptionList> {
  readonly options: Options;
  /**
   * Runs the benchmark. Returns the results for `print`: an object that usually has one property
   * for each table, with the rows of the table.
   */
  readonly run: (
    values: ValuesOf<Options>,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  readonly print: (result: Record<string, unknown>) => void;
}

const name = "npm run bench";
const common = { json: jsonOption };

function bench<Options extends OptionList>(
  word: string,
  { about, example, load }: Bench<Options>,
): Record<string, Subcommand> {
  const run = async (args: readonly string[]) => {
    const { options, run: measure, print } = await load();
    const commandLine = {
      name: `${name} -- ${word}`,
      about,
      options: { ...options, ...common } as OptionList,
      examples: [example, `${example} --json`.trimStart()],
    };
    return runWith(args, commandLine, async ({ values }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by these options
      const result = await measure(values as ValuesOf<Options>);
      if (values["json"] === true) process.stdout.write(`${JSON.stringify(result)}\n`);
      else print(result);
    });
  };
  return { [word]: { about, run } };
}

await runCommandGroup({
  name,
  about:
    "Measures the speed and the cost of the service. Most benches take one to several minutes.",
  noun: "bench",
  commands: {
    ...bench("account", {
      about: "Calls per second of one busy account.",
      example: "--environments 250 --work 0.5",
      load: async () => {
        const { accountOptions, benchAccount, printAccount } = await import("./bench/account.ts");
        return { options: accountOptions, run: benchAccount, print: printAccount };
      },
    }),
    ...bench("api", {
      about: "The cost of an API call.",
      example: "",
      load: async () => {
        const { benchApi, printApi } = await import("./bench/api.ts");
        return { options: {}, run: benchApi, print: printApi };
      },
    }),
    ...bench("bundles", {
      about: "What each function loads at a cold start, and which imports load it.",
      example: "",
      load: async () => {
        const { benchBundles, printBundles } = await import("./bench/bundles.ts");
        return { options: {}, run: benchBundles, print: printBundles };
      },
    }),
    ...bench("dashboard", {
      about: "How fast the pages of the dashboard are in Chromium, with 50 watchlists.",
      example: "--dir /tmp/dashboard-bench",
      load: async () => {
        const { dashboardOptions, benchDashboard, printDashboard } =
          await import("./bench/dashboard.ts");
        return { options: dashboardOptions, run: benchDashboard, print: printDashboard };
      },
    }),
    ...bench("delivery", {
      about: "The cost of a delivery and of an exported object.",
      example: "",
      load: async () => {
        const { benchDelivery } = await import("./bench/delivery.ts");
        const { printDelivery } = await import("./bench/delivery/results.ts");
        return { options: {}, run: benchDelivery, print: printDelivery };
      },
    }),
    ...bench("endpoint", {
      about: "The events per second that one busy webhook endpoint receives.",
      example: "--at-once 4,100 --answer-ms 200",
      load: async () => {
        const { endpointOptions, benchEndpoint, printEndpoint } =
          await import("./bench/endpoint.ts");
        return { options: endpointOptions, run: benchEndpoint, print: printEndpoint };
      },
    }),
    ...bench("gate", {
      about:
        "Compares requests, units and CPU ratios with the committed ones. Exit code 1 if a value is outside its limit.",
      example: "--counts",
      load: async () => {
        const { gateOptions, benchGate, printGate } = await import("./bench/gate.ts");
        return { options: gateOptions, run: benchGate, print: printGate };
      },
    }),
    ...bench("finisher", {
      about: "The peak memory of a finisher that ends a large run.",
      example: "--items 50000 --steps 10",
      load: async () => {
        const { benchFinisher, finisherOptions, printFinisher } =
          await import("./bench/finisher.ts");
        return { options: finisherOptions, run: benchFinisher, print: printFinisher };
      },
    }),
    ...bench("history", {
      about: "The cost of the history of items, with its budgets.",
      example: "",
      load: async () => {
        const { benchHistory, printHistory } = await import("./bench/history.ts");
        return { options: {}, run: benchHistory, print: printHistory };
      },
    }),
    ...bench("in-flight", {
      about: "The latency and refusals of many simultaneous calls of one account.",
      example: "--calls 200 --in-flight 50",
      load: async () => {
        const { inFlightOptions, benchInFlight, printInFlight } =
          await import("./bench/in-flight.ts");
        return { options: inFlightOptions, run: benchInFlight, print: printInFlight };
      },
    }),
    ...bench("key", {
      about: "The rate limit of one key under load.",
      example: "--attempts 333 --seconds 10",
      load: async () => {
        const { keyOptions, benchKey, printKey } = await import("./bench/key.ts");
        return { options: keyOptions, run: benchKey, print: printKey };
      },
    }),
    ...bench("outpost", {
      about:
        "Webhook deliveries of this service, compared with those of Outpost, which the bench starts.",
      example: "--source ../outpost",
      load: async () => {
        const { outpostOptions, benchOutpost, printOutpost } = await import("./bench/outpost.ts");
        return { options: outpostOptions, run: benchOutpost, print: printOutpost };
      },
    }),
    ...bench("reference", {
      about: "The time to the first view of the API reference, in Chromium.",
      example: "--views 3",
      load: async () => {
        const { referenceOptions, benchReference, printReference } =
          await import("./bench/reference.ts");
        return { options: referenceOptions, run: benchReference, print: printReference };
      },
    }),
    ...bench("runs", {
      about: "The cost of a run, by number of items and kind of run.",
      example: "--items 1000,50000",
      load: async () => {
        const { runsOptions, benchRuns, printRuns } = await import("./bench/runs.ts");
        return { options: runsOptions, run: benchRuns, print: printRuns };
      },
    }),
    ...bench("web", {
      about: "The precision of the adapter for product pages.",
      example: "--pages ./pages",
      load: async () => {
        const { webOptions, benchWeb, printWeb } = await import("./bench/web.ts");
        return { options: webOptions, run: benchWeb, print: printWeb };
      },
    }),
  },
  options: common,
  examples: ["api", "account --environments 250 --json", "key --help"],
});
