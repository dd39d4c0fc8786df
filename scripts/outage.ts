/**
 * Calls every route of a local world while its DynamoDB is healthy, killed, hanging or slow: `npm
 * run outage [-- --mode hanging]`. Prints each response with its charge. Exits with 1 if a call
 * breaks a rule of `scripts/outage/rules.ts`, or if `reconcile` finds a difference after the
 * outage.
 */
import { printTable } from "./measure/print-table.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";
import { progressOf } from "../tools/command-line/progress.ts";
import { inFreshWorld } from "../tools/local/fresh-world.ts";
import { connectToWorld } from "../tools/local/running-world.ts";
import { startTemporaryDynamo } from "../tools/local/temporary-dynamo.ts";
import { accountsIn } from "./outage/accounts.ts";
import { observe, type Outage } from "./outage/observe.ts";
import { findBrokenRules, hasRateHeaders, type Observation } from "./outage/rules.ts";
import { startStoreProxy, type StoreMode } from "./outage/store-proxy.ts";
import { adminCommands } from "./tour/admin-commands.ts";

const slowMs = 3_000;
const allModes: readonly StoreMode[] = [
  "healthy",
  "killed",
  "hanging",
  "hanging after the key check",
  "hanging at the charge",
  "slow",
];

const commandLine = {
  name: "npm run outage",
  about: "Calls every route while the store fails, and checks each response and its charge.",
  options: {
    mode: {
      type: "string",
      value: "<mode>",
      multiple: true,
      about: `a mode of the store, repeatable: ${allModes.join(", ")} (default: all)`,
    },
    json: jsonOption,
  },
  examples: ["", "--mode hanging", "--mode killed --mode slow --json"],
} as const;

interface Values {
  readonly mode?: readonly string[];
  readonly json?: boolean;
}

async function main({ mode, json: isJson = false }: Values): Promise<number> {
  const modes = mode?.map(modeNamed) ?? allModes;
  delete process.env["DYNAMODB_ENDPOINT"];
  // Silences the log. Otherwise, a line for each failed call would appear between the tables.
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const store = await startTemporaryDynamo();
  const proxy = await startStoreProxy(store.endpoint, slowMs);
  try {
    process.env["DYNAMODB_ENDPOINT"] = proxy.url;
    const { observations, reconciled } = await inFreshWorld(["--empty-demo"], async (world) => {
      const { tables } = connectToWorld(world.dataFolder);
      const outage = { world, proxy, accounts: accountsIn(tables) };
      return {
        observations: await observeAll(modes, { outage, isJson }),
        reconciled: await reconciledIn(world.dataFolder),
      };
    });
    const faults = [
      ...observations.flatMap((one) =>
        findBrokenRules(one).map((text) => `${one.mode}: ${one.route} ${text}`),
      ),
      ...(reconciled["differences"] === 0 ? [] : ["reconcile: found differences"]),
    ];
    if (isJson) print(JSON.stringify({ calls: observations.map(resultOf), faults }));
    else {
      print(`\n${String(reconciled["summary"])}`);
      for (const fault of faults) print(`BROKEN ${fault}`);
      print(`\nModes: ${modes.length}. Broken rules: ${faults.length}.`);
    }
    return faults.length > 0 ? 1 : 0;
  } finally {
    await proxy.set("healthy");
    await proxy.stop();
    await store.stop();
  }
}

function modeNamed(name: string): StoreMode {
  const mode = allModes.find((one) => one === name);
  if (mode === undefined) {
    throw new Error(`--mode must be one of: ${allModes.join(", ")} (got "${name}").`);
  }
  return mode;
}

interface Reporting {
  readonly outage: Outage;
  readonly isJson: boolean;
}

async function observeAll(
  modes: readonly StoreMode[],
  { outage, isJson }: Reporting,
): Promise<readonly Observation[]> {
  const progress = progressOf(modes.length);
  const all: Observation[] = [];
  for (const mode of modes) {
    progress.begin(titleOf(mode));
    const observations = await observe(mode, outage);
    if (!isJson) printTable(titleOf(mode), observations.map(lineOf));
    all.push(...observations);
  }
  return all;
}

const resultOf = ({ mode, route, status, code, seconds, charged }: Observation) => ({
  mode,
  route,
  status,
  code,
  seconds,
  charged,
});

const titleOf = (mode: StoreMode): string =>
  mode === "slow" ? `store slow: each request takes ${slowMs / 1_000} s` : `store ${mode}`;

const lineOf = (seen: Observation) => ({
  route: seen.route,
  status: seen.status,
  "retry-after": seen.headers.get("retry-after") ?? "",
  "rate-limit headers": hasRateHeaders(seen) ? "yes" : "NO",
  seconds: seen.seconds.toFixed(1),
  charged: seen.charged,
});

/**
 * Runs `reconcile` and returns the JSON that it prints. If `reconcile` finds differences, returns
 * an object with the output as a string in `summary`, and null in `differences`.
 * @throws Error if `reconcile` fails without output
 */
async function reconciledIn(dataFolder: string): Promise<Readonly<Record<string, unknown>>> {
  const admin = adminCommands([], { LOCAL_DIR: dataFolder });
  // The command exits with 2 and prints the differences if there are any.
  return admin("reconcile", "--json").catch((error: { readonly stdout?: string }) => {
    if (error.stdout === undefined) throw error;
    return { summary: error.stdout, differences: null };
  });
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(commandLine, ({ values }) => main(values), { exit: "after the command" });
