/**
 * Simulates how long the scheduled runs of many watchlists take with the configuration of a stage:
 * `npm run capacity`.
 */
import { configs, type Stage, stages } from "../lib/config.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";
import { printTable } from "./measure/print-table.ts";
import { type Assumptions, defaultAssumptions, simulateScenarios } from "./capacity/scenarios.ts";
import { ceilings } from "./capacity/ceilings.ts";
import { capacityRows, ceilingRows } from "./capacity/rows.ts";

const countMax = 100_000;

const commandLine = {
  name: "npm run capacity",
  about: "Simulates the scheduled runs of many watchlists, in virtual time.",
  options: {
    stage: {
      type: "string",
      value: "<name>",
      default: "prod",
      about: `the stage in lib/config.ts: ${stages.join(" or ")}`,
    },
    readers: {
      type: "string",
      value: "<number>",
      about: "parallel step workers (default: those of the stage)",
    },
    watchlists: number(defaultAssumptions.watchlists, "watchlists"),
    items: number(defaultAssumptions.items, "items of each watchlist"),
    steps: number(defaultAssumptions.steps, "steps of each run that read all items"),
    "batch-seconds": number(
      defaultAssumptions.batchSeconds,
      "seconds until a source responds to a batch",
    ),
    "start-seconds": number(defaultAssumptions.startSeconds, "seconds to start a run"),
    "end-seconds": number(defaultAssumptions.endSeconds, "seconds to end a run"),
    ceilings: {
      type: "boolean",
      about:
        "prints the ceilings of a key, an account, an endpoint and the service in prod, and simulates nothing",
    },
    json: jsonOption,
  },
  examples: [
    "",
    "--ceilings",
    "--watchlists 20000 --readers 120",
    "--items 50000 --watchlists 100 --json",
  ],
} as const;

function number(standard: number, about: string) {
  return { type: "string", value: "<number>", default: `${standard}`, about } as const;
}

await runCommand(commandLine, async ({ values }) => {
  if (values.ceilings) {
    refuseUnused(values);
    if (values.json) process.stdout.write(`${JSON.stringify({ ceilings: ceilings() })}\n`);
    else printTable("ceilings of prod", ceilingRows(ceilings()));
    return;
  }
  const { concurrencyMax } = configs[stageNamed(values.stage)];
  const readers = values.readers ?? `${concurrencyMax.steps}`;
  const assumptions: Assumptions = {
    watchlists: wholeNumber("watchlists", values.watchlists),
    items: wholeNumber("items", values.items),
    steps: wholeNumber("steps", values.steps),
    batchSeconds: seconds("batch-seconds", values["batch-seconds"]),
    startSeconds: seconds("start-seconds", values["start-seconds"]),
    endSeconds: seconds("end-seconds", values["end-seconds"]),
  };
  const config = { concurrencyMax: { ...concurrencyMax, steps: wholeNumber("readers", readers) } };
  const scenarios = simulateScenarios(config, assumptions);
  if (values.json) {
    const { concurrencyMax: concurrency } = config;
    process.stdout.write(`${JSON.stringify({ concurrency, assumptions, scenarios })}\n`);
    return;
  }
  printTable(
    `${assumptions.watchlists} watchlists of ${assumptions.items} items`,
    capacityRows(scenarios),
  );
});

/**
 * Checks that a call with `--ceilings` has no options of the simulation, because they would have no
 * effect.
 * @throws Error if an option of the simulation has another value than its default
 */
function refuseUnused(values: Readonly<Record<string, unknown>>): void {
  for (const [name, option] of Object.entries(commandLine.options)) {
    if (name === "ceilings" || name === "json") continue;
    if (values[name] === ("default" in option ? option.default : undefined)) continue;
    throw new Error(
      `--ceilings prints the ceilings of prod and does not use --${name}. Remove --${name}.`,
    );
  }
}

function stageNamed(name: string): Stage {
  const stage = stages.find((one) => one === name);
  if (stage === undefined) {
    throw new Error(`There is no stage '${name}'. Choose ${stages.join(" or ")}.`);
  }
  return stage;
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= countMax) return value;
  throw new Error(`--${option} must be a whole number from 1 to ${countMax} (got "${text}").`);
}

function seconds(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${option} must be a number of seconds above 0 (got "${text}").`);
}
