import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { dynamoHistoryStore } from "../../shared/aws/history/history-store.ts";
import { bucketOf } from "../../shared/aws/history/item-buckets.ts";
import { documentClient, type Row } from "../../shared/aws/table/dynamo.ts";
import { queryRows } from "../../shared/aws/table/query-rows.ts";
import { historyKeys, watchlistKeys } from "../../shared/aws/table/table.ts";
import { assert } from "../../shared/base/assert.ts";
import { inParallel } from "../../shared/base/in-parallel.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import type { HistoryStore } from "../../shared/history/history-store.ts";
import type { RunSegment } from "../../shared/history/history.ts";
import { mergeHistory } from "../../shared/history/merge-history.ts";
import { lastRunOf, runsOf, windowOf } from "../../shared/history/window.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { cpuTimer } from "../measure/cpu-timer.ts";
import { type DynamoMeter, startDynamoMeter } from "../measure/dynamo-meter.ts";
import { printTable } from "../measure/print-table.ts";
import { bytesPerGigabyte, dollarsOf } from "../measure/usage.ts";
import { createBenchTable, withBenchDynamo } from "./bench-dynamo.ts";
import { historyLoad, startMs } from "./history/load.ts";
import { median } from "./median.ts";

const days = 400;
const runsPerDay = 96;
/**
 * The number of recorded runs. The last window lacks one run and is therefore not merged. The
 * number of unmerged runs, each of which a reader must read, is then at its maximum.
 */
const runsCount = days * runsPerDay - 1;
const changedShare = 0.01;
/** Bytes that DynamoDB adds to each row for its index. */
const rowOverhead = 100;
const appendsAtOnce = 8;
const rounds = 9;

interface Bench {
  /** A client whose requests the meter does not count. */
  readonly client: DynamoDBDocumentClient;
  readonly meter: DynamoMeter;
  readonly table: string;
}

/**
 * Measures the costs of the history of a watchlist with 50,000 items, of which 1% change in each
 * run.
 * @returns The costs of storing a run in `run`, and of reading an item's history in `item`.
 */
export const benchHistory = (): Promise<Record<string, unknown>> =>
  withBenchDynamo(async (endpoint) => {
    const client = documentClient();
    const table = await createBenchTable(new DynamoDBClient({}), "history");
    // An SDK client looks up its endpoint at its first request, and then keeps the endpoint.
    // `client` sends its first requests before the meter starts, so the meter never counts the
    // requests of `client`.
    const [ofRuns, ofItem] = [
      await openList(client, table, "wl_runs"),
      await openList(client, table, "wl_item"),
    ];
    const meter = await startDynamoMeter(endpoint);
    pointClientsAt({ dynamodb: meter.url });
    const bench = { client, table, meter };
    try {
      const run = await benchRun(bench, ofRuns);
      return { run, item: await benchItem(bench, ofItem) };
    } finally {
      await meter.stop();
    }
  });

type Metrics = Readonly<Record<string, number>>;

/** Rounds each value to four significant digits. */
const rounded = (metrics: Metrics): Metrics =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, figure]) => [name, Number(figure.toPrecision(4))]),
  );

type List = { readonly accountId: string; readonly watchlistId: string };

async function openList(
  client: DynamoDBDocumentClient,
  table: string,
  watchlistId: string,
): Promise<List> {
  const list = { accountId: "acct_bench", watchlistId };
  const Item = { ...watchlistKeys.watchlist(list.accountId, watchlistId) };
  await client.send(new PutCommand({ TableName: table, Item }));
  return list;
}

/** The clock of the stores, at the end of the recorded days. */
const clock = { ...systemClock, now: () => new Date(startMs + days * 86_400_000) };

const storeOf = (client: DynamoDBDocumentClient, table: string): HistoryStore =>
  dynamoHistoryStore(client, { table, clock, random: systemRandom });

/** No run is in progress, because the bench ends each run before the next one begins. */
const runsInProgress = async (): Promise<ReadonlySet<number>> => new Set();

/** Records and merges a run, as the finisher does. */
async function finish(history: HistoryStore, list: List, segment: RunSegment): Promise<void> {
  await history.append(list, segment);
  const run = { ...list, runNumber: segment.runNumber };
  await mergeHistory(run, () => false, { history, runsInProgress });
}

/**
 * Stores the history points of all runs of one window, including the merge of the window. Returns
 * the costs per run.
 */
async function benchRun(bench: Bench, list: List): Promise<Metrics> {
  const { meter, table } = bench;
  const history = storeOf(documentClient(), table);
  const load = historyLoad(changedShare);
  const runs = lastRunOf(1);
  meter.take();
  const spentMs = cpuTimer();
  for (let n = 0; n < runs; n += 1) await finish(history, list, load.next());
  const cpuMs = spentMs() / runs;
  const { roundTrips, readUnits, writeUnits } = meter.take();
  const usage = { dynamoReadUnit: readUnits / runs, dynamoWriteUnit: writeUnits / runs };
  const bytes = await storedBytes(bench, list);
  const gigabytes = (bytes.all / runs) * ((days * runsPerDay) / bytesPerGigabyte);
  const months = { dynamoGigabyteMonth: gigabytes, dynamoRecoveryGigabyteMonth: gigabytes };
  return rounded({
    requests: roundTrips / runs,
    readUnits: usage.dynamoReadUnit,
    writeUnits: usage.dynamoWriteUnit,
    cpuMs,
    dollars: dollarsOf(usage),
    segmentBytes: bytes.segments / runs,
    mergedBytes: bytes.merged / runs,
    gigabytes,
    dollarsPerMonth: dollarsOf(months),
  });
}

async function storedBytes({ client, table }: Bench, { watchlistId }: List) {
  const rows = queryRows(client, {
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": historyKeys.head(watchlistId).pk },
  });
  const bytes = { all: 0, segments: 0, merged: 0 };
  for await (const row of rows) {
    const size = rowOverhead + sizeOf(row);
    bytes.all += size;
    if (String(row["sk"]).startsWith("items#")) bytes.merged += size;
    else bytes.segments += size;
  }
  return bytes;
}

/**
 * Returns the estimated size of a row in bytes: its attribute names and values, with 8 bytes for
 * each number.
 */
const sizeOf = (row: Row): number =>
  Object.entries(row).reduce((sum, [name, value]) => {
    if (value instanceof Uint8Array) return sum + name.length + value.length;
    return sum + name.length + (typeof value === "string" ? value.length : 8);
  }, 0);

/**
 * Measures the read of one item's history of 400 days. In the merged windows, the bench stores only
 * the points of the item's bucket (a hash group of item IDs), because a read of the item's history
 * reads only this bucket. The unmerged runs contain all points.
 */
async function benchItem(bench: Bench, list: List): Promise<Metrics> {
  const { client, meter, table } = bench;
  const history = storeOf(client, table);
  const load = historyLoad(changedShare);
  const itemId = load.ids[0] ?? "";
  const inBucket = [...load.ids.keys()].filter(
    (n) => bucketOf(load.ids[n] ?? "") === bucketOf(itemId),
  );
  const windows = windowOf(runsCount) - 1;
  const progress = progressOf(windows, { everyMs: 10_000 });
  let recorded = 0;
  const record = async (segments: readonly RunSegment[]): Promise<void> => {
    const points = segments.flatMap((segment) => segment.points);
    recorded += points.filter(({ id }) => id === itemId).length;
    await inParallel(segments, appendsAtOnce, (segment) => history.append(list, segment));
  };
  for (let window = 1; window <= windows; window += 1) {
    progress.begin("recording and merging a window");
    const segments = runsOf(window).map(() => load.next(inBucket));
    await record(segments.filter(({ points }) => points.length > 0));
    const absent = new Set(runsOf(window));
    const { outcome } = await history.merge(list, { window, absent, isOver: () => false });
    assert(outcome === "merged", "the window must be merged");
  }
  await record(Array.from({ length: runsCount - lastRunOf(windows) }, () => load.next()));
  const query = { watchlistId: list.watchlistId, itemId, since: "0000", until: "9999" };
  const metered = storeOf(documentClient(), table);
  meter.take();
  const points = await metered.item(query);
  assert(points.length === recorded, "the history of the item must be complete");
  const { roundTrips, readUnits } = meter.take();
  const cpuMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const spentMs = cpuTimer();
    await history.item(query);
    cpuMs.push(spentMs());
  }
  return rounded({
    points: points.length,
    itemsInBucket: inBucket.length,
    requests: roundTrips,
    readUnits,
    dollars: dollarsOf({ dynamoReadUnit: readUnits }),
    cpuMs: median(cpuMs),
    firstCpuMs: cpuMs[0] ?? 0,
  });
}

/** Prints the result of `benchHistory` to stdout as tables, then explains their columns. */
export function printHistory({ run, item }: Record<string, unknown>): void {
  const ofRun = run as Metrics;
  const ofItem = item as Metrics;
  const rows = [
    ["requests to read an item", ofItem["requests"], "at most 6"],
    ["CPU ms to read an item", ofItem["cpuMs"], "at most 100"],
    ["dollars of a run", ofRun["dollars"], "at most 0.001"],
    ["dollars of storage a month", ofRun["dollarsPerMonth"], "at most 1"],
  ].map(([value, measured, budget]) => ({ value, measured, budget }));
  printTable("Budgets, for 50,000 items of which 1% change in each run, every 15 minutes", rows);
  printTable("A run, with its share of the merge", [ofRun]);
  printTable("A read of the 400 days of an item", [ofItem]);
  process.stdout.write(`
  dollars      DynamoDB on demand. Storage includes point-in-time recovery.
  cpuMs        CPU time of this process, with the SDK and decompression. The first read warms up.
`);
}
