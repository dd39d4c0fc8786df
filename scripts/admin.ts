/**
 * Operators' tool. `npm run admin -- <command>`:
 *   create-account --name <name> --email <email> [--credits <n>] [--demo]
 *   create-key --account <acct_id> --name <name>
 * Works on the running local world of LOCAL_DIR (default .local), or on a deployed stack whose table
 * names, outputs of the data stack, are given by --accounts-table and --ledger-table.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as v from "valibot";
import {
  type AccountDependencies,
  createAccount,
  createApiKey,
} from "../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../shared/aws/account-store.ts";
import { documentClient } from "../shared/aws/dynamo.ts";
import { systemChance, systemClock } from "../shared/base/system.ts";
import { pointClientsAt } from "./local/aws-environment.ts";
import { readyFile } from "./local/world.ts";

const options = {
  name: { type: "string" },
  email: { type: "string" },
  credits: { type: "string" },
  demo: { type: "boolean", default: false },
  account: { type: "string" },
  "accounts-table": { type: "string" },
  "ledger-table": { type: "string" },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const commands: Record<string, (values: Values, deps: AccountDependencies) => Promise<unknown>> = {
  "create-account": async (values, deps) => {
    const credits =
      values.credits === undefined ? {} : { signupCredits: creditsOf(values.credits) };
    const account = await createAccount(
      {
        name: required(values, "name"),
        email: required(values, "email"),
        demo: values.demo,
        ...credits,
      },
      deps,
    );
    return { id: account.id, name: account.name, credit_balance: account.balance };
  },
  "create-key": async (values, deps) => {
    const id = required(values, "account");
    const account = await deps.accounts.get(id);
    if (account === undefined) throw new Error(`There is no account ${id}`);
    return createApiKey({ account, name: required(values, "name") }, deps);
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const command = commands[positionals[0] ?? ""];
  if (command === undefined) {
    throw new Error(`Commands: ${Object.keys(commands).join(", ")}`);
  }
  const accounts = dynamoAccountStore(documentClient(), tablesOf(values));
  const result = await command(values, { accounts, clock: systemClock, chance: systemChance });
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

const localWorld = v.object({
  dynamodb_endpoint: v.string(),
  sqs_endpoint: v.string(),
  s3_endpoint: v.string(),
  scheduler_endpoint: v.string(),
  kms_endpoint: v.string(),
  accounts_table: v.string(),
  ledger_table: v.string(),
});

/** Tables named on the command line are a deployed stack's; without any, the local world's. */
function tablesOf(values: Values): { accounts: string; ledger: string } {
  const accounts = values["accounts-table"];
  const ledger = values["ledger-table"];
  if (accounts !== undefined && ledger !== undefined) return { accounts, ledger };
  const file = join(process.env["LOCAL_DIR"] ?? ".local", readyFile);
  const world = v.parse(localWorld, JSON.parse(readFileSync(file, "utf8")));
  pointClientsAt({
    dynamodb: world.dynamodb_endpoint,
    sqs: world.sqs_endpoint,
    s3: world.s3_endpoint,
    scheduler: world.scheduler_endpoint,
    kms: world.kms_endpoint,
  });
  return { accounts: world.accounts_table, ledger: world.ledger_table };
}

function required(values: Values, name: "name" | "email" | "account"): string {
  const value = values[name];
  if (value === undefined || value === "") throw new Error(`--${name} is required`);
  return value;
}

function creditsOf(text: string): number {
  const credits = Number(text);
  if (!Number.isSafeInteger(credits) || credits < 0) {
    throw new Error(`--credits ${text} is not a whole number of credits`);
  }
  return credits;
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
