import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import type { RandomSource } from "../../../shared/base/clock.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import { reconcileLedger } from "../reconciled.ts";
import { checkSums } from "./check-sums.ts";
import type { DynamoRules } from "../model/contention.ts";
import { modelledDynamo } from "../model/dynamo-model.ts";
import { type CallMetrics, type Environment, type LoadMetrics, offerLoad } from "./load.ts";
import { type AccountTables, openAccount } from "./open-account.ts";
import { seededGenerator } from "../../../tools/stand-ins/seeded.ts";
import { virtualTime } from "../model/virtual-time.ts";

/** The load on one account during a measurement. */
export interface AccountLoad {
  /** The number of Lambda environments for the account's calls, which limits concurrency. */
  readonly environments: number;
  /** The time in seconds for which a call waits for its source. */
  readonly workSeconds: number;
  /** The number of calls that start per second. 0: each environment calls without a pause. */
  readonly rate: number;
  /** The number of watchlists whose runs also reserve credits of the account. */
  readonly watchlists: number;
}

/** A measurement of one or more accounts that are busy at the same time. */
export interface AccountCase {
  /** The loads, one for each account. All run at the same time and are measured. */
  readonly loads: readonly [AccountLoad, ...AccountLoad[]];
  readonly seconds: number;
  readonly seed: number;
  readonly rules: DynamoRules;
}

/**
 * The measurements of an account. Times are in milliseconds, except `work_s`. The percentiles cover
 * the calls that ended in the measured seconds. Capacity units, conflicts and throttles are means
 * per call.
 */
export interface AccountMetrics {
  readonly environments: number;
  readonly work_s: number;
  readonly calls: number;
  readonly "calls/s": number;
  readonly "ledger p50": number;
  readonly p95: number;
  readonly p99: number;
  readonly "admission p95": number;
  readonly "requests p50": number;
  readonly "requests p99": number;
  readonly "read units": number;
  readonly "write units": number;
  readonly conflicts: number;
  readonly throttles: number;
  /** Calls that were refused by the rate limit of a key, or because no environment was free. */
  readonly limited: number;
  readonly "no slot": number;
  readonly failed: number;
  readonly steps: number;
}

/** The calls per second that are sent with one API key. The limit of a key is 50. */
const callsPerKey = 35;

interface World {
  readonly endpoint: string;
  readonly tables: AccountTables;
}

/**
 * Opens one account for each load and runs all loads at the same time. Measures the rate and the
 * duration of each account's calls, and their requests to DynamoDB.
 * @returns One result for each load, in the order of the loads.
 * @throws Error if the stored sums of an account differ from its charges, or if a reconciliation of
 * its ledger finds a difference.
 */
export async function measureAccounts(
  { loads, seconds, seed, rules }: AccountCase,
  { endpoint, tables }: World,
): Promise<readonly AccountMetrics[]> {
  const fraction = seededGenerator(seed);
  const opened = await Promise.all(loads.map((load) => openFor(load, tables)));
  const time = virtualTime(systemClock.now());
  const client = modelledDynamo({ endpoint, time, rules, random: fraction });
  const random: RandomSource = { ...systemRandom, fraction };
  const options = { accountsTable: tables.accounts, ledgerTable: tables.ledger };
  const environment = (): Environment => ({
    accounts: dynamoAccountStore(client, tables, { clock: time.clock, random }),
    ledger: dynamoLedger(client, { ...options, clock: time.clock, random }),
  });
  const measured = await time.through(
    Promise.all(
      loads.map(({ environments, workSeconds, rate, watchlists }, n) =>
        offerLoad({
          environments: Array.from({ length: environments }, environment),
          accountId: opened[n]?.accountId ?? "",
          keyHashes: (opened[n]?.keys ?? []).map(hashApiKey),
          workMs: workSeconds * 1_000,
          rate,
          watchlists,
          seconds,
          time,
          random: seededGenerator(seed + n),
        }),
      ),
    ),
  );
  client.destroy();
  for (const [n, { charged, failed }] of measured.entries()) {
    const accountId = opened[n]?.accountId ?? "";
    // A failed call can leave a hold that only a worker releases. This bench runs no worker, so it
    // checks the ledger only if no call failed.
    if (failed === 0) {
      process.stderr.write(`sums: ${await checkSums(tables.accounts, accountId, charged)}\n`);
    }
    await reconcileLedger(tables, accountId, time.clock);
  }
  return measured.map((load, n) => metricsOf(loads[n] ?? loads[0], load));
}

function openFor({ environments, workSeconds, rate }: AccountLoad, tables: AccountTables) {
  const expected = rate === 0 ? environments / (workSeconds + 0.02) : rate;
  return openAccount(tables, { slots: environments, keys: Math.ceil(expected / callsPerKey) });
}

function metricsOf({ environments, workSeconds }: AccountLoad, load: LoadMetrics): AccountMetrics {
  const { calls } = load;
  const ledger = sorted(calls, ({ ledgerMs }) => ledgerMs);
  const requests = sorted(calls, ({ consumption }) => consumption.requests);
  const mean = (of: (call: CallMetrics) => number): number =>
    rounded(calls.reduce((sum, call) => sum + of(call), 0) / Math.max(1, calls.length), 1);
  return {
    environments,
    work_s: workSeconds,
    calls: calls.length,
    "calls/s": rounded(load.callsPerSecond, 1),
    "ledger p50": rounded(percentile(ledger, 0.5)),
    p95: rounded(percentile(ledger, 0.95)),
    p99: rounded(percentile(ledger, 0.99)),
    "admission p95": rounded(
      percentile(
        sorted(calls, ({ admissionMs }) => admissionMs),
        0.95,
      ),
    ),
    "requests p50": percentile(requests, 0.5),
    "requests p99": percentile(requests, 0.99),
    "read units": mean(({ consumption }) => consumption.readUnits),
    "write units": mean(({ consumption }) => consumption.writeUnits),
    conflicts: mean(({ consumption }) => consumption.conflicts),
    throttles: mean(({ consumption }) => consumption.throttles),
    limited: load.limited,
    "no slot": load.withoutSlot,
    failed: load.failed,
    steps: load.steps,
  };
}

const sorted = (calls: readonly CallMetrics[], of: (call: CallMetrics) => number): number[] =>
  calls.map(of).toSorted((a, b) => a - b);

const percentile = (values: readonly number[], part: number): number =>
  values[Math.min(values.length - 1, Math.floor(part * values.length))] ?? 0;

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits));
