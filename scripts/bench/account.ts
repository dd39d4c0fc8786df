import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { openDataFolder } from "../local/data-folder.ts";
import { pointClientsAt } from "../local/aws-environment.ts";
import { startDynamo } from "../local/dynamo-server.ts";
import { defaultRules, type DynamoRules, type Spread } from "./account/contention.ts";
import { measureAccount, type AccountFigures, type AccountTables } from "./account/measure.ts";
import { createBenchTable } from "./bench-tables.ts";
import { printTable } from "./print-table.ts";

const usage = `npm run bench -- account [options]
  --environments 5,20,50,100,250   Lambda environments, and the account's concurrency limit
  --work 0.05,0.5,1                seconds that a call waits for its source
  --seconds 10                     measured seconds of virtual time, after 2 s of warm-up
  --rate 0                         calls offered a second; 0: each environment calls without a pause
  --watchlists 0                   watchlists whose runs reserve on the same account
  --read-ms 4-6 --write-ms 4-6 --transaction-ms 10-12
                                   latency of DynamoDB, least to most
  --seed 1                         of the latencies and arrivals
`;

/** How one busy account fares, in a model of DynamoDB's latency, conflicts and limits. */
export async function benchAccount(): Promise<Record<string, unknown>> {
  const options = readOptions();
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const folder = openDataFolder(dir, false);
  const dynamo = await startDynamo(folder);
  try {
    pointClientsAt({ dynamodb: dynamo.endpoint });
    const client = new DynamoDBClient({});
    const tables: AccountTables = {
      accounts: await createBenchTable(client, "accounts"),
      ledger: await createBenchTable(client, "ledger"),
    };
    const account: AccountFigures[] = [];
    for (const environments of options.environments) {
      for (const workSeconds of options.work) {
        const wanted = { ...options, environments, workSeconds };
        account.push(await measureAccount(wanted, { endpoint: dynamo.endpoint, tables }));
        process.stderr.write(`${JSON.stringify(account.at(-1))}\n`);
      }
    }
    return { account };
  } finally {
    await dynamo.stop();
    folder.release();
    rmSync(dir, { recursive: true, force: true });
  }
}

export function printAccount({ account }: Record<string, unknown>): void {
  printTable("one account", account as readonly object[]);
}

function readOptions() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      environments: { type: "string", default: "5,20,50,100,250" },
      work: { type: "string", default: "0.05,0.5,1" },
      seconds: { type: "string", default: "10" },
      rate: { type: "string", default: "0" },
      watchlists: { type: "string", default: "0" },
      "read-ms": { type: "string", default: defaultRules.readMs.join("-") },
      "write-ms": { type: "string", default: defaultRules.writeMs.join("-") },
      "transaction-ms": { type: "string", default: defaultRules.transactionMs.join("-") },
      seed: { type: "string", default: "1" },
    },
  });
  const rules: DynamoRules = {
    ...defaultRules,
    readMs: spread("read-ms", values["read-ms"]),
    writeMs: spread("write-ms", values["write-ms"]),
    transactionMs: spread("transaction-ms", values["transaction-ms"]),
  };
  return {
    environments: values.environments.split(",").map((text) => number("environments", text)),
    work: values.work.split(",").map((text) => number("work", text)),
    seconds: number("seconds", values.seconds),
    rate: number("rate", values.rate),
    watchlists: number("watchlists", values.watchlists),
    seed: number("seed", values.seed),
    rules,
  };
}

function number(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`--${name} must be a number of 0 or more (got "${text}").\n${usage}`);
}

function spread(name: string, text: string): Spread {
  const [least = "", most = least] = text.split("-");
  return [number(name, least), number(name, most)];
}
