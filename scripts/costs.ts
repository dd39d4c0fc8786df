/**
 * Calculates the costs of the service on AWS, from units measured on this machine and public
 * prices: `npm run costs`. Values that cannot be measured here are assumptions; options change
 * them.
 */
import { defaultRefreshEveryRuns } from "../shared/pipelines/default.ts";
import { printTable } from "./measure/print-table.ts";
import { measureCalls } from "./costs/api-calls.ts";
import { assumptionLines, readAssumptions } from "./costs/assumptions.ts";
import { measureList } from "./costs/list-runs.ts";
import { logMeter } from "./costs/log-meter.ts";
import { pricesReadOn } from "./measure/prices.ts";
import { standingMonth } from "./costs/standing.ts";
import { callRows, listRows, standingRows } from "./costs/tables.ts";
import { dollarsOf } from "./measure/usage.ts";

const assumptions = readAssumptions(process.argv.slice(2));
const logs = logMeter();
const calls = await measureCalls(assumptions, logs);
const list = await measureList(assumptions, logs);
const metrics = logs.metrics();
const standing = standingMonth({ lookAfter: list.lookAfter, metrics }, assumptions);

printTable("API calls", callRows(calls));
printTable("A list", listRows(list, defaultRefreshEveryRuns));
printTable("Standing", standingRows(standing));
process.stdout.write(`
  dollars: list prices in us-east-1 on ${pricesReadOn}, on demand, no free tier (scripts/measure/prices.ts).
  measured: DynamoDB units, requests, CPU, log bytes and stored bytes of functions in a local world,
    warm, with their memory in prod; answers as they are sent, compressed.
  billed ms: CPU, shared as Lambda shares it below one whole CPU, then what is waited for.
  a list: retailer_a, its default pipeline, one item of a hundred moves between runs, a refresh every
    ${defaultRefreshEveryRuns} runs; a webhook endpoint and an S3 destination. Its baseline costs
    $${dollarsOf(list.baseline).toFixed(2)} once.
  standing: keys, alarms, dashboard, receives from empty queues, the sweeper, and the ${metrics} custom
    metrics that all of the above wrote to, as if they were in use all month.
  assumed, and the option that changes it:
${assumptionLines(assumptions).join("\n")}
`);
process.exit(0);
