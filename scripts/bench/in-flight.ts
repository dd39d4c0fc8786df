import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { readAccountRows, sumsOf } from "../../shared/aws/ledger/read-shards.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { pointClientsAt } from "../../tools/local/aws-environment.ts";
import { checkSums } from "./account/check-sums.ts";
import { openAccount } from "./account/open-account.ts";
import { nonNegativeNumber, positiveInteger } from "./bench-options.ts";
import { type BenchWorld, startBenchWorld } from "../measure/gateway-rate.ts";
import { printTable } from "../measure/print-table.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";
import { reconcileLocalTables } from "./reconciled.ts";

export const inFlightOptions = {
  calls: {
    type: "string",
    value: "<n>",
    default: "1000",
    about: "the calls of POST /v1/products with one ID, over HTTP",
  },
  "in-flight": {
    type: "string",
    value: "<n>",
    default: "250",
    about: "the simultaneous calls of the client, and the account's concurrency limit",
  },
  work: {
    type: "string",
    value: "<seconds>",
    default: "15",
    about: "the time for which a call waits for its source; a shorter time needs a faster machine",
  },
} as const;
type InFlightValues = ValuesOf<typeof inFlightOptions>;

/** Milliseconds between two reads of the number of slots that the account uses. */
const lookMs = 50;

/**
 * Measures many simultaneous calls of one account in a local world. Prints the measurements to
 * stderr as JSON.
 * @returns The measurements, as the only row in `inFlight`.
 * @throws Error if the stored sums differ from the charges of the calls, or if a reconciliation of
 * the tables finds a difference.
 * @throws Error if a call is refused with another status than 429.
 */
export async function benchInFlight(values: InFlightValues): Promise<Record<string, unknown>> {
  const load = loadFrom(values);
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const world = await startBenchWorld(dir, { BENCH_WORK_MS: String(load.workMs) });
  try {
    pointClientsAt({ dynamodb: world.dynamo });
    const tables = {
      accounts: world.environment["ACCOUNTS_TABLE"] ?? "",
      ledger: world.environment["LEDGER_TABLE"] ?? "",
    };
    const opened = await openAccount(tables, { slots: load.atOnce, keys: limits.apiKeysMax });
    const calls = makeCalls(world, opened.keys, load);
    const from = Date.now();
    const [answers, slots] = await Promise.all([
      calls,
      mostSlots(tables.accounts, opened.accountId, calls),
    ]);
    const seconds = (Date.now() - from) / 1_000;
    const credits = answers.reduce((sum, answer) => sum + answer.credits, 0);
    const sums = await checkSums(tables.accounts, opened.accountId, credits);
    process.stderr.write(`sums: ${sums}\n`);
    const metrics = metricsOf(answers, { seconds, slots });
    process.stderr.write(`${JSON.stringify(metrics)}\n`);
    await reconcileLocalTables(dir);
    return { inFlight: [metrics] };
  } finally {
    await world.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

function loadFrom(values: InFlightValues): Load {
  return {
    count: positiveInteger("calls", values.calls),
    atOnce: positiveInteger("in-flight", values["in-flight"]),
    workMs: 1_000 * nonNegativeNumber("work", values.work),
  };
}

/** Prints the result of `benchInFlight` to stdout as a table. */
export function printInFlight({ inFlight }: Record<string, unknown>): void {
  printTable("calls in flight on one account", inFlight as readonly object[]);
}

/** A call that succeeded, if necessary after refused attempts. */
interface Answer {
  readonly milliseconds: number;
  readonly credits: number;
  /** The error codes of the refusals before the success. */
  readonly refusals: readonly string[];
}

interface Load {
  readonly count: number;
  readonly atOnce: number;
  readonly workMs: number;
}

async function makeCalls(
  { baseUrl }: BenchWorld,
  keys: readonly string[],
  { count, atOnce, workMs }: Load,
): Promise<readonly Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const answers: Answer[] = [];
  let started = 0;
  const progress = progressOf(count, { everyMs: 5_000 });
  const caller = async (_: unknown, n: number): Promise<void> => {
    // Spreads the starts over the duration of a call, because simultaneous connections would exceed
    // what the machine can accept in a second.
    await delay((n / atOnce) * workMs);
    while (started < count) {
      const key = keys[started % keys.length] ?? "";
      started += 1;
      progress.begin("calls started");
      answers.push(await untilServed(agent, baseUrl, key));
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, caller));
  } finally {
    agent.destroy();
  }
  return answers;
}

/**
 * Repeats a call until it succeeds. Repeats it only after a 429, which means too many calls per
 * second or no free slot.
 * @throws Error if the call returns any other status
 */
async function untilServed(agent: Agent, baseUrl: string, key: string): Promise<Answer> {
  const from = Date.now();
  const refusals: string[] = [];
  for (;;) {
    const { status, retryAfter, credits, text } = await answered(agent, baseUrl, key);
    if (status === 200) return { milliseconds: Date.now() - from, credits, refusals };
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string } };
    if (status !== 429) {
      throw new Error(
        `An item call returned HTTP ${status} ${error.code} (expected 200 or 429): ${text}. Look for its error in the output of the local world.`,
      );
    }
    refusals.push(error.code);
    // The random part keeps the waiting clients from calling again at the same time.
    await delay(retryAfter * 1_000 * (0.5 + Math.random()));
  }
}

interface Received {
  readonly status: number | undefined;
  readonly retryAfter: number;
  readonly credits: number;
  readonly text: string;
}

const body = JSON.stringify({ platform: "retailer_d", ids: ["9000000"] });

const answered = (agent: Agent, baseUrl: string, key: string): Promise<Received> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const url = `${baseUrl}/v1/products`;
    const outgoing = request(url, { agent, method: "POST", headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode,
          retryAfter: Number(answer.headers["retry-after"] ?? 1),
          credits: Number(answer.headers["x-service-credits"] ?? 0),
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });

/** Runs `work` and returns the largest number of slots that the account used at the same time. */
async function mostSlots(
  accountsTable: string,
  accountId: string,
  work: Promise<unknown>,
): Promise<number> {
  const client = documentClient();
  const reader = { client, accountsTable, clock: systemClock, random: systemRandom };
  let most = 0;
  const progress = { isUnderWay: true };
  const end = (): void => {
    progress.isUnderWay = false;
  };
  void work.then(end, end);
  while (progress.isUnderWay) {
    const rows = await readAccountRows(reader, accountId);
    most = Math.max(most, sumsOf(rows?.shards ?? []).inFlight);
    await delay(lookMs);
  }
  return most;
}

function metricsOf(
  answers: readonly Answer[],
  { seconds, slots }: { readonly seconds: number; readonly slots: number },
): object {
  const times = answers.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const refusals = answers.flatMap((answer) => answer.refusals);
  const refused = (code: string): number => refusals.filter((one) => one === code).length;
  return {
    "returned 200": answers.length,
    "most slots in use": slots,
    CONCURRENCY_LIMIT: refused("CONCURRENCY_LIMIT"),
    RATE_LIMITED: refused("RATE_LIMITED"),
    seconds: Number(seconds.toFixed(1)),
    "p50 ms": times[Math.floor(times.length * 0.5)],
    "p99 ms": times[Math.floor(times.length * 0.99)],
  };
}
