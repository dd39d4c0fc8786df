import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { S3Client } from "@aws-sdk/client-s3";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { assert } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import { type DynamoMeter, type Metered, startDynamoMeter } from "../measure/dynamo-meter.ts";
import { itemsAt, itemsChangedIn, type Tier, writeAnswers } from "../measure/runs-answers.ts";
import { type RunsWorld, startRunsWorld } from "../measure/runs-process.ts";
import type { WorkerName, WorldCounts } from "../measure/runs-world.ts";
import type { Progress } from "../../tools/command-line/progress.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { type Assumptions, billedMs, sourceMs } from "./assumptions.ts";
import type { LogMeter } from "./log-meter.ts";
import type { FunctionWork } from "./memory-sizes.ts";
import { type Stored, measureStoredBytes } from "./stored-bytes.ts";
import { bytesPerGigabyte, lambdaUsage, sumOf, type Usage } from "../measure/usage.ts";
import { workerMegabytes } from "../measure/worker-memory.ts";

/**
 * The measured units of a watchlist on `retailer_a`, with a webhook endpoint and an S3 destination.
 */
export interface WatchlistCosts {
  readonly items: number;
  readonly baseline: Usage;
  /** A sweep run in which one of a hundred items has changed. */
  readonly sweep: Usage;
  readonly refresh: Usage;
  /** One pass of the sweeper. */
  readonly sweeperPass: Usage;
  /** The number of bytes that are stored for as long as the watchlist exists. */
  readonly listBytes: number;
  /** The data that a sweep run stores until it expires. */
  readonly sweepBytes: Pick<Stored, "expiringPerMonth" | "objects">;
  /** The mean work of the invocations of each function, in the baseline and in the sweep run. */
  readonly works: readonly FunctionWork[];
}

const list = "costs";
const items = 50_000;
/**
 * The run numbers of the sweep run and the refresh to measure. Run 1 is the baseline, which is
 * measured too. Run 2 is a sweep run that only warms up the processes.
 */
const [sweepRun, refreshRun] = [3, 4];

/** The number of progress steps that `measureList` reports. */
export const listRunCount = refreshRun;

interface Bench {
  readonly answersDir: string;
  readonly meter: DynamoMeter;
  readonly logs: LogMeter;
  readonly world: RunsWorld;
  readonly assumptions: Assumptions;
  readonly stored: () => Promise<Stored>;
  readonly progress: Progress;
}

interface ListMeasurement {
  /** Counts the log lines of the functions. */
  readonly logs: LogMeter;
  readonly progress: Progress;
  /** Environment variables of the functions. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Runs a watchlist of 50,000 items in a local world. Measures each kind of run, and one pass of the
 * sweeper.
 * @throws Error if a run has an unexpected result.
 */
export async function measureList(
  assumptions: Assumptions,
  { logs, progress, variables }: ListMeasurement,
): Promise<WatchlistCosts> {
  const dynamo = await startTemporaryDynamo();
  const meter = await startDynamoMeter(dynamo.endpoint);
  const answersDir = join(dynamo.dir, "answers");
  const world = await startRunsWorld(
    {
      ...variables,
      BENCH_ANSWERS: answersDir,
      POWERTOOLS_LOG_LEVEL: "INFO",
      LOCAL_DIR: join(dynamo.dir, "world"),
      DYNAMODB_ENDPOINT: meter.url,
    },
    logs.note,
  );
  const { customerBucket, tables, eventsBucket: bucket } = world.ready;
  pointClientsAt({ dynamodb: dynamo.endpoint, s3: customerBucket.endpoint });
  const clients = { dynamo: documentClient(), s3: new S3Client({ forcePathStyle: true }) };
  const stored = () => measureStoredBytes(clients, { tables, bucket });
  try {
    return await measure({ answersDir, meter, logs, world, assumptions, stored, progress });
  } finally {
    await world.stop();
    await meter.stop();
    await dynamo.stop();
  }
}

async function measure(bench: Bench): Promise<WatchlistCosts> {
  const { world, stored } = bench;
  await subscribe(world);
  const empty = await stored();
  const listId = await createList(bench);
  const runs: Measured[] = [];
  const looks: Stored[] = [];
  for (let runNumber = 1; runNumber <= refreshRun; runNumber += 1) {
    bench.progress.begin(`run ${runNumber} of a watchlist of ${items} items`);
    runs.push(await measureRun(listId, runNumber, bench));
    looks.push(await stored());
  }
  await measureSweeper(bench);
  const sweeperPass = await measureSweeper(bench);
  const [before, after] = [looks[sweepRun - 2], looks[sweepRun - 1]];
  const [baseline, sweep, refresh] = [runs[0], runs[sweepRun - 1], runs[refreshRun - 1]];
  assert(before !== undefined && after !== undefined, "every run must be examined");
  assert(baseline !== undefined && sweep !== undefined, "every run must be measured");
  assert(refresh !== undefined, "the refresh must be measured");
  return {
    items,
    baseline: baseline.usage,
    sweep: sweep.usage,
    refresh: refresh.usage,
    sweeperPass: sweeperPass.usage,
    works: [...baseline.works, ...sweep.works, ...sweeperPass.works],
    listBytes: after.kept - empty.kept,
    sweepBytes: {
      expiringPerMonth: after.expiringPerMonth - before.expiringPerMonth,
      objects: after.objects - before.objects,
    },
  };
}

/** Adds a webhook endpoint and an S3 destination, which receive all events of the account. */
async function subscribe(world: RunsWorld): Promise<void> {
  const { receiverUrl, customerBucket } = world.ready;
  await world.call("POST", "/v1/webhook_endpoints", { url: `${receiverUrl}/costs` });
  await world.call("PUT", "/v1/s3_destination", {
    bucket: customerBucket.name,
    region: "us-east-1",
    endpoint: customerBucket.endpoint,
    force_path_style: true,
    access_key_id: "customer",
    secret_access_key: "customer-secret",
  });
}

async function createList(bench: Bench): Promise<string> {
  const { world } = bench;
  world.send("hold");
  const ids = prepare(1, bench);
  const { id } = await world.call("POST", "/v1/watchlists", {
    name: list,
    platform: "retailer_a",
    ids,
    every: "7d",
    refresh_every_runs: refreshRun,
  });
  assert(typeof id === "string", "the API must return the ID of the new watchlist");
  return id;
}

/** The kind of a run, by the tier that its first step reads. */
const runKinds = { full: "baseline", pulse: "sweep", lite: "refresh" } as const;

const tierOf = (runNumber: number): Tier => {
  if (runNumber === 1) return "full";
  return runNumber === refreshRun ? "lite" : "pulse";
};

/** Writes the files with the source's answers for a run. Returns the item IDs of the watchlist. */
function prepare(runNumber: number, { answersDir }: Bench): string[] {
  const all = itemsAt(list, items, runNumber);
  const tier = tierOf(runNumber);
  writeAnswers(answersDir, [
    { tier, items: all },
    { tier: "lite", items: tier === "pulse" ? itemsChangedIn(all, runNumber) : [] },
  ]);
  return all.map(({ id }) => id);
}

/** The used resources and the work of one run, or of one pass of the sweeper. */
interface Measured {
  readonly usage: Usage;
  /** The mean work of the invocations of each function that ran. */
  readonly works: readonly FunctionWork[];
}

async function measureRun(listId: string, runNumber: number, bench: Bench): Promise<Measured> {
  const { world } = bench;
  if (runNumber > 1) prepare(runNumber, bench);
  await takeAll(bench);
  const finished = world.finished();
  if (runNumber === 1) world.send("release");
  else await world.call("POST", `/v1/watchlists/${listId}/run`);
  await finished;
  const taken = await takeAll(bench);
  const { data } = await world.call("GET", `/v1/watchlists/${listId}/runs?limit=1`);
  const [run] = data as { status: string; stats: Readonly<Record<string, number>> }[];
  const moved = itemsChangedIn(itemsAt(list, items, runNumber), runNumber).length;
  if (run?.status !== "completed" || run.stats["changed"] !== moved) {
    throw new Error(
      `Run ${runNumber} must have the status completed and ${moved} changed items (got ${JSON.stringify(run)}). Look for errors in the output of the local world.`,
    );
  }
  await takeAll(bench);
  const tier = tierOf(runNumber);
  const reads = [
    { tier, ids: items },
    { tier: "lite" as const, ids: tier === "pulse" ? moved : 0 },
  ];
  const sourceWait = sourceWaitMs(reads, bench.assumptions);
  const works = worksOf(taken, { work: runKinds[tier], sourceWait }, bench);
  return { works, usage: { ...usageOf(taken, works, bench), schedulerInvocation: 1 } };
}

async function measureSweeper(bench: Bench): Promise<Measured> {
  await takeAll(bench);
  const finished = bench.world.finished();
  bench.world.send("sweep");
  await finished;
  const taken = await takeAll(bench);
  const works = worksOf(taken, { work: "a pass", sourceWait: 0 }, bench);
  return { works, usage: usageOf(taken, works, bench) };
}

/**
 * Returns how long the invocations of a step wait for its source in total, in milliseconds. Each
 * batch is read in a separate invocation, so the waits add up.
 */
const sourceWaitMs = (
  reads: readonly { readonly tier: Tier; readonly ids: number }[],
  assumptions: Assumptions,
): number =>
  reads.reduce((sum, { tier, ids }) => {
    const batches = Math.ceil(ids / limits.batchIdsMax);
    const perBatch = sourceMs(`retailer_a.${tier}`, ids / Math.max(1, batches), assumptions);
    return sum + batches * perBatch;
  }, 0);

interface Taken {
  readonly dynamo: Metered;
  readonly world: WorldCounts;
  readonly logBytes: number;
}

const quietMs = 700;

/**
 * Waits until all work has ended, because the deliveries of a run end after the run. Returns what
 * was used since the last call.
 */
async function takeAll({ meter, world, logs }: Bench): Promise<Taken> {
  let [dynamo, counts] = [meter.take(), await world.take()];
  for (let isQuiet = false; !isQuiet;) {
    await delay(quietMs);
    const [more, moreCounts] = [meter.take(), await world.take()];
    isQuiet = more.roundTrips === 0 && moreCounts.sqsRequests === 0;
    dynamo = addCounts(dynamo, more);
    counts = {
      ...addCounts(counts, moreCounts),
      workers: Object.fromEntries(
        Object.entries(counts.workers).map(([name, worker]) => [
          name,
          addCounts(worker, moreCounts.workers[name as WorkerName]),
        ]),
      ) as WorldCounts["workers"],
    };
  }
  return { dynamo, world: counts, logBytes: logs.take().bytes };
}

/** Adds two objects with the same numeric fields. */
function addCounts<Counts extends object>(one: Counts, other: Counts): Counts {
  const sums = Object.entries(one).map(([name, count]: [string, unknown]) => {
    const more: unknown = Reflect.get(other, name);
    return [name, typeof count === "number" ? count + Number(more) : count];
  });
  return Object.fromEntries(sums) as Counts;
}

/**
 * Returns the mean work of the invocations of each function that ran.
 * @param options.work The measured work, as a part of the names.
 * @param options.sourceWait How long all invocations of the step worker wait for the source, in
 * milliseconds.
 */
const worksOf = (
  { world }: Taken,
  { work, sourceWait }: { readonly work: string; readonly sourceWait: number },
  { assumptions }: Bench,
): readonly FunctionWork[] =>
  Object.entries(world.workers)
    .filter(([, { invocations }]) => invocations > 0)
    .map(([name, { cpuMs, requests, requestsOutside, invocations }]) => {
      const outside = requestsOutside * assumptions.receiverMs;
      return {
        name: `${name}, ${work}`,
        invocations,
        cpuMs: cpuMs / invocations,
        awsRequests: requests / invocations,
        waitsMs: (outside + (name === "run-step" ? sourceWait : 0)) / invocations,
        memoryMegabytes: workerMegabytes[name as WorkerName],
      };
    });

function usageOf(
  { dynamo, world, logBytes }: Taken,
  works: readonly FunctionWork[],
  { assumptions }: Bench,
): Usage {
  const lambdas = works.map(({ invocations, ...work }) =>
    lambdaUsage({
      invocations,
      milliseconds: invocations * billedMs(work, assumptions),
      memoryMegabytes: work.memoryMegabytes,
    }),
  );
  const invocations = works.reduce((sum, one) => sum + one.invocations, 0);
  const logged = logBytes + invocations * assumptions.platformLogBytes;
  return {
    ...sumOf(lambdas),
    dynamoReadUnit: dynamo.readUnits,
    dynamoWriteUnit: dynamo.writeUnits,
    sqsRequest: world.sqsRequests,
    s3Put: world.s3Puts,
    s3Get: world.s3Gets,
    kmsRequest: world.kmsRequests,
    logGigabyte: logged / bytesPerGigabyte,
    transferGigabyte: world.webhookBytes / bytesPerGigabyte,
  };
}
