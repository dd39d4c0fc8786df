/**
 * Calls every route of a local world while its DynamoDB is healthy, killed, hanging or slow, and
 * prints each answer with its charge: `npm run outage [-- --mode hanging]`. Exits with 1 if a call
 * breaks a rule of `scripts/outage/rules.ts`, or if `reconcile` then finds a difference.
 */
import { parseArgs } from "node:util";
import { localTarget } from "./admin/target.ts";
import { printTable } from "./measure/print-table.ts";
import { startTemporaryDynamo } from "../tools/local/temporary-dynamo.ts";
import { accountsIn } from "./outage/accounts.ts";
import { observe, type Outage } from "./outage/observe.ts";
import { brokenRules, hasRateHeaders, type Observation } from "./outage/rules.ts";
import { startStoreProxy, type StoreMode } from "./outage/store-proxy.ts";
import { adminCommands } from "./tour/admin-commands.ts";
import { inFreshWorld } from "./tour/fresh-world.ts";

const slowMs = 3_000;
const allModes: readonly StoreMode[] = [
  "healthy",
  "killed",
  "hanging",
  "hanging after the key check",
  "hanging at the charge",
  "slow",
];

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { mode: { type: "string", multiple: true } } });
  const modes = values.mode?.map(modeNamed) ?? allModes;
  delete process.env["DYNAMODB_ENDPOINT"];
  // Every failed call writes a line, which would hide the tables.
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const store = await startTemporaryDynamo();
  const proxy = await startStoreProxy(store.endpoint, slowMs);
  try {
    process.env["DYNAMODB_ENDPOINT"] = proxy.url;
    const faults = await inFreshWorld(["--empty-demo"], async (world) => {
      const { tables } = localTarget(world.dataFolder);
      const outage = { world, proxy, accounts: accountsIn(tables) };
      return [...(await observeAll(modes, outage)), ...(await differencesIn(world.dataFolder))];
    });
    for (const fault of faults) process.stdout.write(`BROKEN ${fault}\n`);
    process.stdout.write(`\nModes: ${modes.length}. Broken rules: ${faults.length}.\n`);
    if (faults.length > 0) process.exitCode = 1;
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

async function observeAll(modes: readonly StoreMode[], outage: Outage): Promise<string[]> {
  const faults: string[] = [];
  for (const mode of modes) {
    const observations = await observe(mode, outage);
    printTable(titleOf(mode), observations.map(lineOf));
    for (const one of observations) {
      faults.push(...brokenRules(one).map((text) => `${mode}: ${one.route} ${text}`));
    }
  }
  return faults;
}

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

async function differencesIn(dataFolder: string): Promise<string[]> {
  const admin = adminCommands([], { LOCAL_DIR: dataFolder });
  // It exits with 2 and prints the differences when there are some.
  const tally = await admin("reconcile", "--json").catch((error: { readonly stdout?: string }) => {
    if (error.stdout === undefined) throw error;
    return { summary: error.stdout, differences: null };
  });
  process.stdout.write(`\n${String(tally["summary"])}\n`);
  return tally["differences"] === 0 ? [] : ["reconcile: found differences"];
}

await main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  },
);
