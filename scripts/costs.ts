/**
 * Calculates the service's costs on AWS: `npm run costs`. Uses public prices, and the requests,
 * DynamoDB units and processor time that it measures on this machine. Options change the values that
 * it cannot measure.
 */
import { defaultRefreshEveryRuns } from "../shared/pipelines/default.ts";
import { printTable } from "./measure/print-table.ts";
import { callCount, measureCalls } from "./costs/api-calls.ts";
import {
  assumptionLines,
  assumptionOptions,
  readAssumptions,
  type Texts,
} from "./costs/assumptions.ts";
import { listRunCount, measureList } from "./costs/list-runs.ts";
import { memoryRows } from "./costs/memory-sizes.ts";
import { logMeter } from "./costs/log-meter.ts";
import { storedVersionsEnvironment, storedVersionsOption } from "./measure/stored-versions.ts";
import { pricesReadOn } from "./measure/prices.ts";
import { busMonth, standingMonth } from "./costs/standing.ts";
import { busRows, callRows, listRows, standingRows } from "./costs/tables.ts";
import { dollarsOf } from "./measure/usage.ts";
import { jsonOption, runCommand } from "../tools/command-line/command-line.ts";
import { progressOf } from "../tools/command-line/progress.ts";

const commandLine = {
  name: "npm run costs",
  about: "Calculates the costs of the service on AWS. Takes one to two minutes, without a network.",
  options: {
    ...assumptionOptions,
    "stored-versions": storedVersionsOption,
    json: jsonOption,
  },
  examples: ["", "--aws-ms 10", "--stored-versions next", "--json"],
} as const;

async function main(values: Texts, isJson: boolean): Promise<void> {
  const assumptions = readAssumptions(values);
  const variables = storedVersionsEnvironment(String(values["stored-versions"]));
  const logs = logMeter();
  const progress = progressOf(callCount + listRunCount);
  const calls = await measureCalls(assumptions, { logs, progress });
  const watchlist = await measureList(assumptions, { logs, progress, variables });
  const metrics = logs.metrics();
  const standing = standingMonth({ sweeperPass: watchlist.sweeperPass, metrics }, assumptions);
  const works = [...calls.map(({ name, work }) => ({ name, ...work })), ...watchlist.works];
  const memorySizes = memoryRows(works, assumptions);
  if (isJson) {
    const result = {
      prices_read_on: pricesReadOn,
      assumptions,
      calls: callRows(calls),
      list: listRows(watchlist, defaultRefreshEveryRuns),
      standing: standingRows(standing),
      event_bus: busRows(busMonth()),
      memory_sizes: memorySizes,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  printTable("API calls", callRows(calls));
  printTable("A watchlist", listRows(watchlist, defaultRefreshEveryRuns));
  printTable("Fixed costs", standingRows(standing));
  printTable("The event bus, with eventBus on", busRows(busMonth()));
  printTable("Memory sizes of functions", memorySizes);
  process.stdout.write(`
  dollars: list prices in us-east-1 on ${pricesReadOn}, on demand, no free tier (scripts/measure/prices.ts).
  measured: DynamoDB units, requests, CPU, log bytes and stored bytes of warm functions in a local
    world, with their memory in prod. Responses are counted compressed, as they are sent.
  billed ms: the CPU time at the share of a CPU that Lambda assigns to the memory size, plus the time
    that the function waits.
  memory sizes: the billed duration, and the dollars of Lambda for a million invocations. A star
    marks the size that the function has in prod.
  a watchlist: on retailer_a with the default pipeline, a webhook endpoint and an S3 destination. One
    item in a hundred changes between runs, and every ${defaultRefreshEveryRuns}th run is a refresh. Its baseline costs
    $${dollarsOf(watchlist.baseline).toFixed(2)} once.
  fixed costs: keys, alarms, the dashboard, receives from empty queues, the sweeper, and the ${metrics} custom
    metrics of the functions above, as if all of them were used the whole month.
  Assumptions, with the options that change them:
${assumptionLines(assumptions).join("\n")}
`);
}

await runCommand(commandLine, ({ values: { json, ...texts } }) => main(texts, json === true), {
  exit: "after the command",
});
