import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { assert } from "../../shared/base/assert.ts";
import { workerMegabytes } from "../measure/worker-memory.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { type DynamoMeter, type Metered, startDynamoMeter } from "../measure/dynamo-meter.ts";
import { printTable } from "../measure/print-table.ts";
import { positiveInteger } from "./bench-options.ts";
import { storedVersionsEnvironment, storedVersionsOption } from "../measure/stored-versions.ts";
import { reconcileLocalTables } from "./reconciled.ts";
import { itemsAt, itemsChangedIn, type Tier, writeAnswers } from "../measure/runs-answers.ts";
import { type RunsWorld, startRunsWorld } from "../measure/runs-process.ts";
import { startTaskProcess, type TaskProcess } from "./task-process.ts";
import { dollarsOf, type Usage } from "../measure/usage.ts";
import type { WorkerCounts } from "../measure/runs-worker.ts";
import type { WorkerName, WorldCounts } from "../measure/runs-world.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

export const runsOptions = {
  items: {
    type: "string",
    value: "<n,n,…>",
    default: "1000,5000,50000",
    about: "the sizes of the watchlists",
  },
  "step-memory": {
    type: "string",
    value: "<MB>",
    default: String(workerMegabytes["run-step"]),
    about: "the memory of the step worker, which sets the heap limits of its process",
  },
  "stored-versions": storedVersionsOption,
} as const;

/** The size of the first watchlist, which warms up the processes and is not shown. */
const warmUpSize = 1_000;
const runsOfWatchlist = 5;
/** The milliseconds that SQS takes to delete a message after its function has ended. */
const deletionMs = 200;

interface RunMetrics {
  readonly items: number;
  readonly kind: string;
  readonly wallMs: number;
  readonly floorMs: number;
  readonly dynamo: Metered;
  readonly world: WorldCounts;
  readonly costs: RunCosts;
}

type Floor = TaskProcess<"measure", number>;

interface Bench {
  readonly answersDir: string;
  readonly meter: DynamoMeter;
  readonly world: RunsWorld;
  readonly floor: Floor;
}

/**
 * Measures the costs of runs by the kind of run and the size of the watchlist. Compares their CPU
 * time with a loop that does the minimum of work.
 * @returns The rows of each table, by the title of the table.
 * @throws Error if an option is invalid, if a run has an unexpected result, or if a reconciliation
 * finds a difference.
 */
export async function benchRuns(values: ValuesOf<typeof runsOptions>): Promise<RunTables> {
  const sizes = [
    warmUpSize,
    ...values.items.split(",").map((text) => positiveInteger("items", text)),
  ];
  const stepMegabytes = positiveInteger("step-memory", values["step-memory"]);
  const dynamo = await startTemporaryDynamo();
  const meter = await startDynamoMeter(dynamo.endpoint);
  const answersDir = join(dynamo.dir, "answers");
  const variables = { BENCH_ANSWERS: answersDir, POWERTOOLS_LOG_LEVEL: "WARN" };
  const floor: Floor = await startTaskProcess(new URL("runs-floor.ts", import.meta.url), variables);
  const world = await startRunsWorld({
    ...variables,
    LOCAL_DIR: join(dynamo.dir, "world"),
    DYNAMODB_ENDPOINT: meter.url,
    BENCH_STEP_MEGABYTES: String(stepMegabytes),
    ...storedVersionsEnvironment(values["stored-versions"]),
  });
  try {
    const metrics: RunMetrics[][] = [];
    const progress = progressOf(sizes.length);
    for (const [n, size] of sizes.entries()) {
      progress.begin(`five runs of a watchlist of ${size} items`);
      metrics.push(await benchWatchlist(`list ${n}`, size, { answersDir, meter, world, floor }));
    }
    await reconcileLocalTables(join(dynamo.dir, "world"));
    return tablesOf(metrics.slice(1).flat());
  } finally {
    await world.stop();
    floor.stop();
    await meter.stop();
    await dynamo.stop();
  }
}

/** Measures a baseline, three sweep runs and a refresh of a new watchlist. */
async function benchWatchlist(
  watchlist: string,
  size: number,
  bench: Bench,
): Promise<RunMetrics[]> {
  const { world } = bench;
  world.send("hold");
  prepare(watchlist, { size, runNumber: 1 }, bench);
  const ids = itemsAt(watchlist, size, 1).map(({ id }) => id);
  const { id } = await world.call("POST", "/v1/watchlists", {
    name: watchlist,
    platform: "retailer_a",
    ids,
    every: "7d",
    refresh_every_runs: runsOfWatchlist,
  });
  assert(typeof id === "string", "the API must return the ID of the new watchlist");
  const metrics: RunMetrics[] = [];
  for (let runNumber = 1; runNumber <= runsOfWatchlist; runNumber += 1) {
    if (runNumber > 1) prepare(watchlist, { size, runNumber }, bench);
    metrics.push(await measureRun({ id, watchlist, size, runNumber }, bench));
  }
  return metrics;
}

const tierOf = (runNumber: number): Tier => {
  if (runNumber === 1) return "full";
  return runNumber === runsOfWatchlist ? "lite" : "pulse";
};

/**
 * Writes the source's answers for a run. A sweep run reads all items at `pulse`, and the changed
 * items again at `lite`.
 */
function prepare(
  watchlist: string,
  { size, runNumber }: { readonly size: number; readonly runNumber: number },
  { answersDir }: Bench,
): void {
  const items = itemsAt(watchlist, size, runNumber);
  const tier = tierOf(runNumber);
  const moved = tier === "pulse" ? itemsChangedIn(items, runNumber) : [];
  writeAnswers(answersDir, [
    { tier, items },
    { tier: "lite", items: moved },
  ]);
}

interface OneRun {
  readonly id: string;
  readonly watchlist: string;
  readonly size: number;
  readonly runNumber: number;
}

/**
 * Measures one run. A scheduled message starts the first run, and an API call starts each other
 * run.
 */
async function measureRun(run: OneRun, { meter, world, floor }: Bench): Promise<RunMetrics> {
  const { id, size, runNumber } = run;
  await world.take();
  meter.take();
  const began = performance.now();
  const finished = world.finished();
  if (runNumber === 1) world.send("release");
  else await world.call("POST", `/v1/watchlists/${id}/run`);
  await finished;
  const wallMs = performance.now() - began;
  await delay(deletionMs);
  const metrics = await world.take();
  const dynamo = meter.take();
  const kind = await checkedKind(run, world);
  const floorMs = await floor.do("measure");
  const usage = { ...dynamo, ...metrics, gigabyteSeconds: gigabyteSecondsOf(metrics) };
  return {
    items: size,
    kind: kind === "sweep" ? `sweep ${runNumber - 1}` : kind,
    wallMs,
    floorMs,
    dynamo,
    world: metrics,
    costs: costsOf(usage),
  };
}

/** The resources of AWS services that a run used. */
interface RunUsage {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly sqsRequests: number;
  /**
   * The sum over all handler invocations of their duration multiplied by the memory of the
   * function.
   */
  readonly gigabyteSeconds: number;
}

interface RunCosts {
  readonly storage: number;
  readonly queues: number;
  readonly compute: number;
  readonly total: number;
}

/** Returns the costs of a run in dollars. */
function costsOf(run: RunUsage): RunCosts {
  const usage: Usage = {
    dynamoReadUnit: run.readUnits,
    dynamoWriteUnit: run.writeUnits,
    sqsRequest: run.sqsRequests,
    lambdaGigabyteSecond: run.gigabyteSeconds,
  };
  return {
    storage: dollarsOf(usage, ["dynamoReadUnit", "dynamoWriteUnit"]),
    queues: dollarsOf(usage, ["sqsRequest"]),
    compute: dollarsOf(usage, ["lambdaGigabyteSecond"]),
    total: dollarsOf(usage),
  };
}

/**
 * Returns the kind of a run.
 * @throws Error if the run does not have the expected results
 */
async function checkedKind(
  { id, watchlist, size, runNumber }: OneRun,
  world: RunsWorld,
): Promise<string> {
  const { data } = await world.call("GET", `/v1/watchlists/${id}/runs?limit=1`);
  const [last] = data as { status: string; kind: string; stats: Record<string, number> }[];
  const moved = itemsChangedIn(itemsAt(watchlist, size, runNumber), runNumber).length;
  const asExpected =
    last?.status === "completed" &&
    last.stats["tracked"] === size &&
    last.stats["changed"] === moved &&
    last.stats["retry_next_run"] === 0;
  if (!asExpected)
    throw new Error(
      `Run ${runNumber} of the watchlist with ${size} items must have the status completed, ${moved} changed items and no pending retries ` +
        `(got ${JSON.stringify(last)}). Look for errors in the output of the local world.`,
    );
  return last.kind;
}

const sumOf = ({ workers }: WorldCounts, figure: keyof WorkerCounts): number =>
  Object.values(workers).reduce((sum, worker) => sum + worker[figure], 0);

const gigabyteSecondsOf = ({ workers }: WorldCounts): number =>
  Object.entries(workers)
    .map(([name, { handlerMs }]) => [handlerMs, workerMegabytes[name as WorkerName]] as const)
    .reduce((sum, [ms, megabytes]) => sum + (ms / 1_000) * (megabytes / 1_024), 0);

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** The tables of the bench, by title. */
export type RunTables = ReturnType<typeof tablesOf>;

function tablesOf(metrics: readonly RunMetrics[]) {
  return {
    time: metrics.map(({ items, kind, wallMs, floorMs, world }) => {
      const cpuMs = sumOf(world, "cpuMs");
      return {
        items,
        run: kind,
        wallMsPerItem: rounded(wallMs / items, 4),
        cpuMsPerItem: rounded(cpuMs / items, 4),
        floorMsPerItem: rounded(floorMs / items, 4),
        cpuRatio: rounded(cpuMs / floorMs, 2),
        starterMs: Math.round(world.workers["run-starter"].cpuMs),
        stepMs: Math.round(world.workers["run-step"].cpuMs),
        finisherMs: Math.round(world.workers["run-finisher"].cpuMs),
        stepPeakMegabytes: Math.round(world.workers["run-step"].peakMegabytes),
      };
    }),
    cost: metrics.map(({ items, kind, dynamo, world, costs }) => ({
      items,
      run: kind,
      readUnits: rounded(dynamo.readUnits, 1),
      writeUnits: dynamo.writeUnits,
      dynamoRequests: dynamo.roundTrips,
      sqsRequests: world.sqsRequests,
      storageDollars: costs.storage.toFixed(6),
      sqsDollars: costs.queues.toFixed(6),
      lambdaDollars: costs.compute.toFixed(6),
      dollars: costs.total.toFixed(6),
      dollarsPerMillionItems: rounded((costs.total / items) * 1e6, 3),
    })),
    all: all(metrics),
  };
}

/** Returns the sums of the five runs of each watchlist, which are the costs of a refresh period. */
function all(metrics: readonly RunMetrics[]) {
  const byItems = Map.groupBy(metrics, ({ items }) => items);
  return [...byItems].map(([items, runs]) => {
    const sum = (figure: (run: RunMetrics) => number): number =>
      runs.reduce((total, run) => total + figure(run), 0);
    const cpuMs = sum(({ world }) => sumOf(world, "cpuMs"));
    return {
      items,
      runs: runs.length,
      cpuMsPerItem: rounded(cpuMs / items / runs.length, 4),
      cpuRatio: rounded(cpuMs / sum(({ floorMs }) => floorMs), 2),
      storageDollarsPerRun: (sum(({ costs }) => costs.storage) / runs.length).toFixed(6),
      dollarsPerRun: (sum(({ costs }) => costs.total) / runs.length).toFixed(6),
    };
  });
}

/**
 * Prints the result of `benchRuns` to stdout as tables, then an explanation of their columns.
 * @param tables the rows of each table, by the title of the table
 */
export function printRuns(tables: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows as readonly object[]);
  process.stdout.write(`
  cpu: user and system time of the processes of run-starter, run-step and run-finisher, including
    the AWS SDK and reading the source's answers from files. The pollers, the gateway and the
    emulators are other processes. Each function gets one event at a time, so its wall time is the
    sum of its invocations.
  floor: a minimal loop over the same files: read, JSON.parse, snapshotOf, changedFields, and zstd
    of the JSON of each call's results. The median of three measurements.
  peak: the peak memory of run-step's process so far, including Node.js, the SDK and the answers.
  units: the consumed capacity that DynamoDB reports, including the call that starts a sweep or
    refresh.
  sqs: requests to SQS: sends, receives and deletes, without receives that returned no message.
  dollars: on-demand prices in us-east-1. Lambda is on arm64, with the memory of prod, for the time
    in the handlers. S3 requests for event bodies are not included.
`);
}
