import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { defaultRules, type DynamoRules, type Spread } from "./model/contention.ts";
import { type AccountMetrics, type AccountLoad, measureAccounts } from "./account/measure.ts";
import { createBenchTable, withBenchDynamo } from "./bench-dynamo.ts";
import { nonNegativeNumber, positiveInteger } from "./bench-options.ts";
import { printTable } from "../measure/print-table.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

const latency = "the shortest and longest latency, in milliseconds, of a";
export const accountOptions = {
  environments: {
    type: "string",
    value: "<n,n,…>",
    default: "5,20,50,100,250",
    about: "the numbers of Lambda environments; each is also the account's concurrency limit",
  },
  work: {
    type: "string",
    value: "<seconds,…>",
    default: "0.05,0.5,1",
    about: "the time for which a call waits for its source",
  },
  seconds: {
    type: "string",
    value: "<n>",
    default: "10",
    about: "the measured virtual time, after 2 s of warm-up",
  },
  rate: {
    type: "string",
    value: "<n>",
    default: "0",
    about:
      "the number of calls that start per second; with 0, each environment calls without a pause",
  },
  watchlists: {
    type: "string",
    value: "<n>",
    default: "0",
    about: "the watchlists whose runs also reserve credits of the account",
  },
  accounts: {
    type: "string",
    value: "<1|2>",
    default: "1",
    about: "2 also measures a second account at 5 calls per second, alone and with the first",
  },
  "read-ms": {
    type: "string",
    value: "<n-n>",
    default: defaultRules.readMs.join("-"),
    about: `${latency} read`,
  },
  "write-ms": {
    type: "string",
    value: "<n-n>",
    default: defaultRules.writeMs.join("-"),
    about: `${latency} write`,
  },
  "transaction-ms": {
    type: "string",
    value: "<n-n>",
    default: defaultRules.transactionMs.join("-"),
    about: `${latency} transaction`,
  },
  seed: {
    type: "string",
    value: "<n>",
    default: "1",
    about: "the seed of the latencies and arrivals",
  },
} as const;
type AccountValues = ValuesOf<typeof accountOptions>;

/** The load of the second account, which is far below the account's limits. */
const quietLoad: Omit<AccountLoad, "workSeconds"> = { environments: 20, rate: 5, watchlists: 0 };
/**
 * The largest accepted ratio of two ledger times of the second account: the time while the first
 * account is busy, and the time when the second account is alone. Both times are 95th percentiles.
 */
const ratioMax = 1.2;

/**
 * Measures an account under load, with simulated latency, conflicts and limits of DynamoDB. With
 * `accounts` 2, also measures a quiet second account twice: first alone, then while the first
 * account is busy. Prints each measurement to stderr as JSON.
 * @returns The table rows of the first account in `account`, and of the second account in
 * `neighbor`.
 * @throws Error if an option is invalid, if the stored sums of an account differ from its charges,
 * or if a reconciliation of its ledger finds a difference.
 */
export async function benchAccount(values: AccountValues): Promise<Record<string, unknown>> {
  const options = accountOptionsFrom(values);
  return withBenchDynamo(async (endpoint) => {
    const client = new DynamoDBClient({});
    const tables = {
      accounts: await createBenchTable(client, "accounts"),
      ledger: await createBenchTable(client, "ledger"),
    };
    const measure = async (
      loads: readonly [AccountLoad, ...AccountLoad[]],
    ): Promise<readonly AccountMetrics[]> => {
      const world = { endpoint, tables };
      const metrics = await measureAccounts({ ...options, loads }, world);
      for (const one of metrics) process.stderr.write(`${JSON.stringify(one)}\n`);
      return metrics;
    };
    const account: AccountMetrics[] = [];
    const neighbor: object[] = [];
    const progress = progressOf(options.environments.length * options.work.length);
    for (const environments of options.environments) {
      for (const workSeconds of options.work) {
        progress.begin(`${environments} environments, ${workSeconds} s of work`);
        const { rate, watchlists } = options;
        const busy = { environments, workSeconds, rate, watchlists };
        if (options.accounts === 1) account.push(...(await measure([busy])));
        else {
          const quiet = { ...quietLoad, workSeconds };
          const [alone] = await measure([quiet]);
          // The quiet account is the first load, alone and beside the busy account. Its calls
          // therefore start at the same times in both cases.
          const [beside, other] = await measure([quiet, busy]);
          if (other !== undefined) account.push(other);
          neighbor.push(comparison(busy, alone, beside));
        }
      }
    }
    return neighbor.length === 0 ? { account } : { account, neighbor };
  });
}

const comparison = (
  { environments, workSeconds }: AccountLoad,
  alone: AccountMetrics | undefined,
  beside: AccountMetrics | undefined,
): object => {
  const ratio = (beside?.p95 ?? NaN) / (alone?.p95 ?? NaN);
  return {
    "environments of the busy account": environments,
    work_s: workSeconds,
    "calls alone": alone?.calls,
    "ledger p95 alone": alone?.p95,
    "calls with the busy account": beside?.calls,
    "ledger p95 with the busy account": beside?.p95,
    ratio: Number(ratio.toFixed(2)),
    [`at most ${ratioMax}`]: ratio <= ratioMax,
  };
};

/** Prints the result of `benchAccount` to stdout as tables. */
export function printAccount({ account, neighbor }: Record<string, unknown>): void {
  printTable("one account", account as readonly object[]);
  if (neighbor !== undefined) {
    printTable("a second account at 5 calls per second", neighbor as readonly object[]);
  }
}

function accountOptionsFrom(values: AccountValues) {
  const rules: DynamoRules = {
    ...defaultRules,
    readMs: spread("read-ms", values["read-ms"]),
    writeMs: spread("write-ms", values["write-ms"]),
    transactionMs: spread("transaction-ms", values["transaction-ms"]),
  };
  const accounts = positiveInteger("accounts", values.accounts);
  if (accounts > 2) throw new Error(`--accounts must be 1 or 2 (got "${accounts}").`);
  return {
    environments: values.environments
      .split(",")
      .map((text) => positiveInteger("environments", text)),
    work: values.work.split(",").map((text) => nonNegativeNumber("work", text)),
    seconds: nonNegativeNumber("seconds", values.seconds),
    rate: nonNegativeNumber("rate", values.rate),
    watchlists: nonNegativeNumber("watchlists", values.watchlists),
    accounts,
    seed: nonNegativeNumber("seed", values.seed),
    rules,
  };
}

function spread(name: string, text: string): Spread {
  const [least = "", most = least] = text.split("-");
  return [nonNegativeNumber(name, least), nonNegativeNumber(name, most)];
}
