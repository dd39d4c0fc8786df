import { readFileSync, writeFileSync } from "node:fs";
import { number, object, parse, record, string } from "valibot";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { median } from "./median.ts";
import { printTable } from "../measure/print-table.ts";
import { benchApiTrips } from "./api.ts";
import { benchCase, type DeliveryBench, withDeliveryBench } from "./delivery.ts";
import { benchOneAtATime } from "./delivery/one-at-a-time.ts";
import type { Case, Requests, Round } from "./delivery/results.ts";
import {
  type GateDifference,
  gateDifferences,
  type GateValues,
  ratioFactorMax,
} from "./gate-limits.ts";
import { benchRuns, runsOptions } from "./runs.ts";
import type { MeasuredVersions } from "../measure/stored-versions.ts";

export const gateOptions = {
  counts: {
    type: "boolean",
    about: "compares only requests and units, for a machine with other work",
  },
  write: { type: "boolean", about: "writes the measured values to the committed file" },
} as const;

const file = new URL("gate.json", import.meta.url);
const valuesSchema = object({
  counts: record(string(), number()),
  ratios: record(string(), number()),
});

/** Cases of the delivery bench that are small enough for the gate. */
const cases: Readonly<Record<string, Case>> = {
  "20 runs of 2 events": { to: "receiver", runs: 20, items: 2, parallel: 4 },
  "10 exports of 2 events": { to: "bucket", runs: 10, items: 2, parallel: 4 },
  "a run of 11 events, 200 KB each": { to: "receiver", runs: 1, items: 5_000, parallel: 1 },
};
const rounds = 5;
/**
 * The number of measured runs that are published one at a time, after the runs that warm up the
 * processes.
 */
const runsAlone = 10;
/** The number of items of the watchlist whose runs are measured. */
const items = 1_000;

/**
 * Measures small workloads, and compares their requests, units and CPU ratios with the values in
 * `scripts/bench/gate.json`. Sets exit code 1 if a value is outside its limit. With `counts`, does
 * not compare the ratios. With `write`, writes the measured values to this file instead, and
 * compares nothing.
 * @returns An object whose property `differences` is the array of the values outside their limits.
 * @throws Error if a bench finds an unexpected result
 */
export async function benchGate(
  options: ValuesOf<typeof gateOptions>,
): Promise<Record<string, unknown>> {
  const measured = await measure();
  if (options.write === true) {
    writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
    return { differences: [] };
  }
  const committed: GateValues = parse(valuesSchema, JSON.parse(readFileSync(file, "utf8")));
  const compared = (values: GateValues): GateValues =>
    options.counts === true ? { ...values, ratios: {} } : values;
  const differences = gateDifferences(compared(committed), compared(measured));
  if (differences.length > 0) process.exitCode = 1;
  return { differences };
}

async function measure(): Promise<GateValues> {
  const counts: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const progress = progressOf(3);
  progress.begin("deliveries and exports");
  await withDeliveryBench(async (bench) => {
    await measureAlone(bench, { counts, ratios });
    for (const [name, one] of Object.entries(cases)) {
      noteCase(name, await benchCase(one, bench, rounds), { counts, ratios });
    }
  });
  progress.begin(`runs of a watchlist of ${items} items`);
  for (const storedVersions of ["current", "next"] as const) {
    await measureRuns(storedVersions, { counts, ratios });
  }
  progress.begin("calls");
  for (const { call, roundTrips, readUnits, writeUnits } of await benchApiTrips()) {
    counts[`${call}: DynamoDB requests`] = roundTrips;
    counts[`${call}: read units`] = readUnits;
    counts[`${call}: write units`] = writeUnits;
  }
  return { counts, ratios };
}

interface Found {
  readonly counts: Record<string, number>;
  readonly ratios: Record<string, number>;
}

async function measureAlone(bench: DeliveryBench, { counts, ratios }: Found): Promise<void> {
  for (const archives of ["rows", "objects"] as const) {
    const costs = await benchOneAtATime(archives, bench, runsAlone);
    const name = `one run alone, archives as ${archives}`;
    for (const [part, requests] of Object.entries(costs.requests)) {
      counts[`${name}: requests, ${part}`] = requests;
    }
    counts[`${name}: requests to the customer's bucket`] = costs.customerRequests;
    const { publish, webhook, export: exported } = costs.cpuMs;
    ratios[`${name}: CPU`] = rounded((publish + webhook + exported) / costs.bareCpuMs);
  }
}

const allOf = ({ dynamo, s3, sqs, customer }: Requests): number => dynamo + s3 + sqs + customer;

function noteCase(name: string, found: readonly Round[], { counts, ratios }: Found): void {
  for (const part of ["publish", "deliver"] as const) {
    counts[`${name}: requests, ${part}`] = median(
      found.map((round) => allOf(round[`${part}Requests`])),
    );
    ratios[`${name}: CPU, ${part}`] = rounded(
      median(found.map((round) => round[part].cpuMs / round.bare.cpuMs)),
    );
  }
}

async function measureRuns(
  storedVersions: MeasuredVersions,
  { counts, ratios }: Found,
): Promise<void> {
  const { cost, all } = await benchRuns({
    items: String(items),
    "step-memory": runsOptions["step-memory"].default,
    "stored-versions": storedVersions,
  });
  const size = storedVersions === "next" ? `${items} items, storedVersions=next` : `${items} items`;
  for (const { run, readUnits, writeUnits, dynamoRequests } of cost) {
    counts[`${run} of ${size}: DynamoDB requests`] = dynamoRequests;
    counts[`${run} of ${size}: read units`] = readUnits;
    counts[`${run} of ${size}: write units`] = writeUnits;
  }
  for (const { cpuRatio } of all) ratios[`five runs of ${size}: CPU`] = cpuRatio;
}

const rounded = (value: number): number => Number(value.toFixed(2));

/** Prints the result of `benchGate` to stdout, and how to renew the committed file. */
export function printGate({ differences }: Record<string, unknown>): void {
  const found = differences as readonly GateDifference[];
  if (found.length === 0) {
    process.stdout.write("gate: all values are within their limits\n");
    return;
  }
  printTable("outside the limits of scripts/bench/gate.json", found);
  process.stdout.write(`
  Counts must be equal. A ratio is the service's CPU time divided by the CPU time of a minimal loop in the same run. It may be
  up to ${ratioFactorMax} times the committed ratio. If the change is intended, update the file on an idle machine and commit it:

    npm run bench -- gate --write

`);
}
