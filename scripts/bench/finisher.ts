import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { stepRow } from "../../shared/aws/runs/run-row.ts";
import { dynamoStepStore } from "../../shared/aws/runs/step-store.ts";
import { documentClient, writeRows } from "../../shared/aws/table/dynamo.ts";
import { watchlistKeys } from "../../shared/aws/table/table.ts";
import { chunksOf } from "../../shared/base/chunks-of.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { noCounts } from "../../shared/runs/batch.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { printTable } from "../measure/print-table.ts";
import { workerMegabytes } from "../measure/worker-memory.ts";
import { createBenchTable, withBenchDynamo } from "./bench-dynamo.ts";
import { positiveInteger } from "./bench-options.ts";
import { benchRun, outcomesOf, recordOf, type RunSize } from "./finisher/load.ts";
import type { FinisherMetrics, FinisherTask } from "./finisher/worker.ts";
import { startTaskProcess } from "./task-process.ts";

export const finisherOptions = {
  items: {
    type: "string",
    value: "<n>",
    default: "50000",
    about: "the items of the watchlist, which all change in each step",
  },
  steps: { type: "string", value: "<n>", default: "10", about: "the steps of the run" },
  memory: {
    type: "string",
    value: "<MB>",
    default: String(workerMegabytes["run-finisher"]),
    about: "the memory of the function, which sets the heap limits of the process",
  },
} as const;

const table = "finisher";
const writesAtOnce = 4;

/**
 * Finishes a run in which each step reports a change of each item. Measures the peak memory of the
 * process, and that of a process that only reads the same results.
 * @returns The rows of the table, by its title.
 * @throws Error if an option is invalid
 */
export function benchFinisher(
  values: ValuesOf<typeof finisherOptions>,
): Promise<Record<string, unknown>> {
  const size: RunSize = {
    items: positiveInteger("items", values.items),
    steps: positiveInteger("steps", values.steps),
  };
  const megabytes = positiveInteger("memory", values.memory);
  return withBenchDynamo(async () => {
    await createBenchTable(new DynamoDBClient({}), table);
    await storeResults(size);
    const floor = await measured({ table, size, work: "read" }, megabytes);
    const finisher = await measured({ table, size, work: "finish" }, megabytes);
    return { finisher: [rowOf("floor", floor), rowOf("finisher", finisher)] };
  });
}

/** Stores the steps of the run and their results. */
async function storeResults(size: RunSize): Promise<void> {
  const client = documentClient();
  const options = { table, clock: systemClock, random: systemRandom };
  const store = dynamoStepStore(client, options);
  const { accountId, watchlistId, runNumber, id: runId } = benchRun;
  await client.send(
    new PutCommand({
      TableName: table,
      Item: { ...watchlistKeys.watchlist(accountId, watchlistId) },
    }),
  );
  const progress = progressOf(size.steps);
  for (let n = 0; n < size.steps; n += 1) {
    progress.begin(`the results of step ${n + 1}`);
    const record = recordOf(n, size.items);
    const { step, plan, starts } = record;
    const item = { ...watchlistKeys.step(runId, step), ...stepRow(record), decision: "read" };
    await writeRows(client, options, [item]);
    const batches = chunksOf(
      Array.from({ length: size.items }, (_, index) => index),
      limits.batchIdsMax,
    );
    await inParallel([...batches.entries()], writesAtOnce, ([batch, indexes]) =>
      store.recordResult(
        { accountId, watchlistId, runNumber, runId, step, plan, starts, batch },
        {
          counts: { ...noCounts, requested: indexes.length, ok: indexes.length },
          outcomes: outcomesOf(n, indexes),
        },
      ),
    );
  }
}

async function measured(task: FinisherTask, megabytes: number): Promise<FinisherMetrics> {
  const script = new URL("finisher/worker.ts", import.meta.url);
  const worker = await startTaskProcess<FinisherTask, FinisherMetrics>(script, {}, megabytes);
  try {
    return await worker.do(task);
  } finally {
    worker.stop();
  }
}

const rowOf = (
  process: string,
  { peakMegabytes, cpuMs, events, bytes, sha256 }: FinisherMetrics,
) => ({
  process,
  peakMegabytes: Math.round(peakMegabytes),
  cpuSeconds: Number((cpuMs / 1_000).toFixed(1)),
  events,
  archivedMegabytes: Number((bytes / 1e6).toFixed(1)),
  sha256: sha256.slice(0, 12),
});

/**
 * Prints the result of `benchFinisher` to stdout as a table, then an explanation of its columns.
 * @param tables the rows of each table, by the title of the table
 */
export function printFinisher(tables: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows as readonly object[]);
  process.stdout.write(`
  floor: a process that only reads the results of all steps once, batch by batch.
  peak: the peak memory of the process, including Node.js and the SDK.
  archived: the compressed objects that the finisher writes. They are not kept.
  sha256: the digest of the keys and bytes of these objects, in the order of their writes.
`);
}
