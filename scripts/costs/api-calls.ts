import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { configs } from "../../lib/config.ts";
import { accessLogFormat } from "../../lib/constructs/access-log.ts";
import { newApiKey } from "../../shared/accounts/api-key.ts";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { type DynamoMeter, startDynamoMeter } from "../measure/dynamo-meter.ts";
import { type BenchWorld, startBenchWorld } from "../measure/gateway-rate.ts";
import type { Progress } from "../../tools/command-line/progress.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { startTemporaryDynamo } from "../../tools/local/temporary-dynamo.ts";
import { type Assumptions, billedMs, sourceMs, type Speed, type Work } from "./assumptions.ts";
import type { LogMeter } from "./log-meter.ts";
import { bytesPerGigabyte, lambdaUsage, type Usage } from "../measure/usage.ts";

interface Call {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /**
   * The source of the call, and the number of requested items; absent for a call that reads no
   * source.
   */
  readonly source?: { readonly scraper: Speed; readonly ids: number };
  /** The number of shards of the account: 1 at 5 concurrency slots, and 25 at 250. */
  readonly shards: 1 | 25;
  /**
   * The API key of the call: the key of an account, a key that does not exist, or none.
   * @default the key of an account
   */
  readonly key?: "unknown" | "none";
  /** The number of calls over which the mean is calculated. */
  readonly repeats: number;
}

/** The costs of one kind of call, as means over the repeated calls. */
export interface CallCosts {
  readonly name: string;
  readonly work: Work;
  readonly billedMs: number;
  readonly usage: Usage;
}

const pulseIds = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B${String(100_000_000 + n)}`);
const products = (tier: "pulse" | "lite" | "full", ids: number, repeats: number): Call => ({
  name: `POST /v1/products, ${ids.toLocaleString("en")} IDs at ${tier}`,
  method: "POST",
  path: "/v1/products",
  body: { platform: "retailer_a", tier, ids: pulseIds(ids) },
  status: 200,
  source: { scraper: `retailer_a.${tier}`, ids },
  shards: 25,
  repeats,
});

const accountCall = { method: "GET", path: "/v1/account", status: 200, repeats: 40 } as const;
const oneId = {
  method: "POST",
  path: "/v1/products",
  body: { platform: "retailer_d", ids: ["9000000"] },
  status: 200,
  source: { scraper: "retailer_d.standard", ids: 1 },
  repeats: 40,
} as const;

const calls: readonly Call[] = [
  { ...accountCall, name: "GET /v1/account", shards: 1 },
  { ...accountCall, name: "GET /v1/account, 25 shards", shards: 25 },
  { ...accountCall, name: "without a key (401)", key: "none", status: 401, shards: 1 },
  { ...accountCall, name: "with an unknown key (401)", key: "unknown", status: 401, shards: 1 },
  {
    shards: 1,
    name: "POST /v1/products, refused (400)",
    method: "POST",
    path: "/v1/products",
    body: { platform: "retailer_d", ids: ["x"] },
    status: 400,
    repeats: 40,
  },
  { ...oneId, name: "POST /v1/products, 1 ID (retailer_d)", shards: 1 },
  { ...oneId, name: "POST /v1/products, 1 ID, 25 shards", shards: 25 },
  products("pulse", 100, 20),
  products("pulse", 2_000, 10),
  products("lite", 2_000, 3),
  products("full", 2_000, 3),
];
/** A call with an empty handler. Its costs are the costs of the local gateway. */
const bareCall = {
  method: "GET",
  path: "/v1/structured",
  status: 200,
  shards: 1,
  repeats: 40,
} as const;

/** The number of progress steps that `measureCalls` reports. */
export const callCount = calls.length;

/**
 * Measures every kind of API call in a local world.
 * @param assumptions The values that cannot be measured here, such as the duration of a request to
 * AWS and the read times of the sources. They determine the billed time and the bytes of the logs.
 * @param options.logs Counts the log lines of the functions.
 * @param options.progress Prints the progress.
 * @returns For each kind of call, the mean costs of one call: its work, its billed milliseconds,
 * and the used units of each priced resource. The CPU time excludes the local gateway.
 */
export async function measureCalls(
  assumptions: Assumptions,
  { logs, progress }: { readonly logs: LogMeter; readonly progress: Progress },
): Promise<readonly CallCosts[]> {
  const dynamo = await startTemporaryDynamo();
  const meter = await startDynamoMeter(dynamo.endpoint);
  const variables = { DYNAMODB_ENDPOINT: meter.url, POWERTOOLS_LOG_LEVEL: "INFO" };
  const world = await startBenchWorld(join(dynamo.dir, "world"), variables, logs.note);
  try {
    const keys = {
      1: await openAccount(world, dynamo.endpoint, limits.signupCredits),
      25: await openAccount(world, dynamo.endpoint, credits),
    };
    const bench = { world, meter, logs, keys };
    const bare = await measure({ name: "", ...bareCall }, bench);
    const costs: CallCosts[] = [];
    for (const call of calls) {
      progress.begin(call.name);
      const one = await measure(call, bench);
      costs.push(costsOf(call, { ...one, cpuMs: one.cpuMs - bare.cpuMs }, assumptions));
    }
    return costs;
  } finally {
    await world.stop();
    await meter.stop();
    await dynamo.stop();
  }
}

const credits = 100_000_000;

async function openAccount(
  world: BenchWorld,
  endpoint: string,
  signupCredits: number,
): Promise<string> {
  pointClientsAt({ dynamodb: endpoint });
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: world.environment["ACCOUNTS_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const wanted = { name: "Costs", email: "costs@example.com", signupCredits };
  const account = await createAccount(wanted, deps);
  return (await createApiKey({ account, name: "costs" }, deps)).key;
}

interface Measured {
  readonly cpuMs: number;
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly logBytes: number;
  /** The bytes of the compressed response. */
  readonly answerBytes: number;
}

interface Bench {
  readonly world: BenchWorld;
  readonly meter: DynamoMeter;
  readonly logs: LogMeter;
  /** For each number of shards: the API key of an account with that number. */
  readonly keys: Readonly<Record<Call["shards"], string>>;
}

const warmUps = 3;
/**
 * The milliseconds between calls. They keep the rate below the limit of 50 calls per second for a
 * key.
 */
const betweenCallsMs = 25;
/** The milliseconds that log lines need to arrive through a pipe. */
const linesMs = 200;

async function measure(call: Call, { world, meter, logs, keys }: Bench): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const key = keyOf(call, keys);
  let answerBytes = 0;
  const make = async (repeats: number): Promise<void> => {
    for (let n = 0; n < repeats; n += 1) {
      answerBytes = await responseBytes(agent, {
        ...call,
        url: `${world.baseUrl}${call.path}`,
        key,
      });
      await delay(betweenCallsMs);
    }
  };
  await make(warmUps);
  await delay(linesMs);
  const before = await world.cpuMs();
  meter.take();
  logs.take();
  await make(call.repeats);
  const cpuMs = (await world.cpuMs()) - before;
  await delay(linesMs);
  const { roundTrips, readUnits, writeUnits } = meter.take();
  const sums = { cpuMs, roundTrips, readUnits, writeUnits, logBytes: logs.take().bytes };
  agent.destroy();
  const means = Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [name, sum / call.repeats]),
  ) as typeof sums;
  return { ...means, answerBytes };
}

/** Returns the key that a call sends; undefined for none. */
function keyOf({ key, shards }: Call, keys: Bench["keys"]): string | undefined {
  if (key === "none") return undefined;
  return key === "unknown" ? newApiKey(false, systemRandom) : keys[shards];
}

/**
 * Sends a call and returns the size of its response in bytes.
 * @throws Error if the response has an unexpected status
 */
function responseBytes(
  agent: Agent,
  call: Pick<Call, "method" | "body" | "status"> & {
    readonly url: string;
    readonly key: string | undefined;
  },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(call.key === undefined ? {} : { Authorization: `Bearer ${call.key}` }),
      "Accept-Encoding": "gzip",
      ...(call.body === undefined ? {} : { "Content-Type": "application/json" }),
    };
    const outgoing = request(call.url, { agent, method: call.method, headers }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () => {
        if (answer.statusCode === call.status) resolve(bytes);
        else
          reject(
            new Error(
              `${call.method} ${call.url} returned HTTP ${answer.statusCode} (expected ${call.status}). Correct the call in scripts/costs/api-calls.ts.`,
            ),
          );
      });
    });
    outgoing.on("error", reject);
    outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  });
}

const memoryMegabytes = configs.prod.memoryMegabytes.api;
const streamedFreeBytes = 6 * 2 ** 20;
/** For a streamed response, the gateway bills one request for each started 10 MB. */
const gatewayPartBytes = 10 * 2 ** 20;
/** The bytes of an access log line, estimated from the length of its format. */
const accessLogBytes = accessLogFormat.toString().length;

function costsOf(call: Call, one: Measured, assumptions: Assumptions): CallCosts {
  const { cpuMs, roundTrips, answerBytes } = one;
  const waitsMs =
    call.source === undefined ? 0 : sourceMs(call.source.scraper, call.source.ids, assumptions);
  const work = { cpuMs, awsRequests: roundTrips, waitsMs, memoryMegabytes };
  const milliseconds = billedMs(work, assumptions);
  const logBytes = one.logBytes + assumptions.platformLogBytes + accessLogBytes;
  return {
    name: call.name,
    work,
    billedMs: milliseconds,
    usage: {
      ...lambdaUsage({ invocations: 1, milliseconds, memoryMegabytes }),
      lambdaStreamedGigabyte: Math.max(0, answerBytes - streamedFreeBytes) / bytesPerGigabyte,
      firewallRequest: 1,
      gatewayRequest: Math.max(1, Math.ceil(answerBytes / gatewayPartBytes)),
      dynamoReadUnit: one.readUnits,
      dynamoWriteUnit: one.writeUnits,
      logGigabyte: logBytes / bytesPerGigabyte,
      transferGigabyte: answerBytes / bytesPerGigabyte,
    },
  };
}
