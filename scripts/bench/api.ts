import { join } from "node:path";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { type DynamoMeter, type Metered, startDynamoMeter } from "../measure/dynamo-meter.ts";
import { type BenchWorld, benchGateway, startBenchWorld } from "../measure/gateway-rate.ts";
import type { CpuMetrics, CpuTask } from "./handler-cpu.ts";
import { printTable } from "../measure/print-table.ts";
import { reconcileLocalTables } from "./reconciled.ts";
import { startTaskProcess, type TaskProcess } from "./task-process.ts";

interface TripMetrics {
  readonly call: string;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const accountsCount = 60;
const credits = 10_000_000;

/**
 * Measures the costs of an API call: its round trips, its CPU time and its rate. The CPU time is
 * compared with a loop that does only the necessary work, and the rate with an empty handler.
 * @returns The rows of each table, by the title of the table.
 * @throws Error if a reconciliation of the tables finds a difference.
 */
export async function benchApi(): Promise<Record<string, unknown>> {
  const dynamo = await startTemporaryDynamo();
  const meter = await startDynamoMeter(dynamo.endpoint);
  const world = await startBenchWorld(join(dynamo.dir, "world"), { DYNAMODB_ENDPOINT: meter.url });
  try {
    const progress = progressOf(3);
    progress.begin("round trips");
    const keys = await openAccounts(world, dynamo.endpoint);
    const trips = await benchRoundTrips(world, meter, keys);
    progress.begin("calls through the gateway");
    const gateway = await benchGateway(world, keys);
    progress.begin("CPU time of the handler");
    const cpu = await benchCpu(world, dynamo.endpoint, keys);
    await reconcileLocalTables(join(dynamo.dir, "world"));
    return { roundTrips: trips, cpu, gateway };
  } finally {
    await world.stop();
    await meter.stop();
    await dynamo.stop();
  }
}

/**
 * For one call of each kind, the requests to DynamoDB and the capacity units that they consume.
 * Earlier calls have filled the caches.
 */
export type ApiTrips = readonly TripMetrics[];

/** Measures only the round trips of `benchApi`. */
export async function benchApiTrips(): Promise<ApiTrips> {
  const dynamo = await startTemporaryDynamo();
  const meter = await startDynamoMeter(dynamo.endpoint);
  const world = await startBenchWorld(join(dynamo.dir, "world"), { DYNAMODB_ENDPOINT: meter.url });
  try {
    return await benchRoundTrips(world, meter, await openAccounts(world, dynamo.endpoint));
  } finally {
    await world.stop();
    await meter.stop();
    await dynamo.stop();
  }
}

async function openAccounts(world: BenchWorld, endpoint: string): Promise<string[]> {
  pointClientsAt({ dynamodb: endpoint });
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: world.environment["ACCOUNTS_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const keys: string[] = [];
  for (let n = 0; n < accountsCount; n += 1) {
    const account = await createAccount(
      { name: `Bench ${n}`, email: "bench@example.com", signupCredits: credits },
      deps,
    );
    keys.push((await createApiKey({ account, name: "bench" }, deps)).key);
  }
  return keys;
}

/** The number of equal calls after the call that warms up the process. */
const warmCalls = 5;

/**
 * Measures the requests to DynamoDB of each kind of call, while the process has the state of the
 * key in its cache. Returns the minimum of several equal calls, because the workers of the local
 * world send requests too.
 */
async function benchRoundTrips(
  world: BenchWorld,
  meter: DynamoMeter,
  keys: readonly string[],
): Promise<TripMetrics[]> {
  const headers = { Authorization: `Bearer ${keys[0]}`, "Content-Type": "application/json" };
  const products = (ids: readonly string[]): RequestInit => ({
    method: "POST",
    headers,
    body: JSON.stringify({ platform: "retailer_d", ids }),
  });
  const thousand = Array.from({ length: 1_000 }, (_, n) => String(1_000_000 + n));
  const kinds: [string, string, RequestInit][] = [
    ["GET /v1/account", "/v1/account", { headers }],
    ["POST /v1/products, 1 ID", "/v1/products", products(["9000000"])],
    ["POST /v1/products, 1,000 IDs", "/v1/products", products(thousand)],
    ["POST /v1/products refused (400)", "/v1/products", products(["x"])],
  ];
  const metrics: TripMetrics[] = [];
  for (const [call, path, init] of kinds) {
    const measured: Metered[] = [];
    for (let n = 0; n <= warmCalls; n += 1) {
      meter.take();
      await (await fetch(`${world.baseUrl}${path}`, init)).text();
      if (n > 0) measured.push(meter.take());
    }
    const least = (figure: keyof Metered): number =>
      Math.min(...measured.map((one) => one[figure]));
    const [roundTrips, readUnits] = [least("roundTrips"), least("readUnits")];
    metrics.push({ call, roundTrips, readUnits, writeUnits: least("writeUnits") });
  }
  return metrics;
}

async function benchCpu(
  world: BenchWorld,
  endpoint: string,
  keys: readonly string[],
): Promise<CpuMetrics[]> {
  const tasks = [
    { tier: "pulse", idCounts: [1, 100, 2_000, 10_000] },
    { tier: "full", idCounts: [2_000] },
  ];
  const metrics: CpuMetrics[] = [];
  for (const task of tasks) {
    // Each tier has a separate process, because peak memory is a property of the process.
    const worker: TaskProcess<CpuTask, CpuMetrics[]> = await startTaskProcess(
      new URL("handler-cpu.ts", import.meta.url),
      {
        AWS_ENDPOINT_URL_DYNAMODB: endpoint,
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
        POWERTOOLS_LOG_LEVEL: "SILENT",
      },
    );
    try {
      metrics.push(...(await worker.do({ ...task, environment: world.environment, keys })));
    } finally {
      worker.stop();
    }
  }
  return metrics;
}

/**
 * Prints the result of `benchApi` to stdout as tables.
 * @param tables the rows of each table, by the title of the table
 */
export function printApi(tables: Record<string, unknown>): void {
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows as readonly object[]);
}
