/**
 * Operators' tool. `npm run admin -- <command>`:
 *   create-account --name <name> --email <email> [--credits <n>] [--demo]
 *   create-key --account <acct_id> --name <name>
 *   purchase --account <acct_id> --id <id> --pack <pack>
 *   grant --account <acct_id> --id <id> --credits <n>
 *   adjust --account <acct_id> --id <id> --credits=<n, or -n>
 *   set-auto-topup --account <acct_id> [--threshold <n> --pack <pack>] [--disabled]
 * The --id of a change is yours, such as the number of an invoice: repeating it changes nothing.
 * set-auto-topup without --pack removes the setting.
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
import type { AutoTopUpStore } from "../shared/accounts/auto-top-up.ts";
import {
  adjustCredits,
  type ChangeCreditsDependencies,
  grantCredits,
  purchasePack,
} from "../shared/accounts/change-credits.ts";
import { creditPacks, isPackId, type PackId } from "../shared/accounts/credit-packs.ts";
import { dynamoAccountStore, dynamoAutoTopUpStore } from "../shared/aws/account-store.ts";
import { dynamoCreditChanges } from "../shared/aws/credit-changes.ts";
import { documentClient } from "../shared/aws/dynamo.ts";
import { systemChance, systemClock } from "../shared/base/system.ts";
import type { ChangeOutcome } from "../shared/credits/credit-changes.ts";
import { pointClientsAt } from "./local/aws-environment.ts";
import { readyFile } from "./local/world.ts";

const options = {
  id: { type: "string" },
  pack: { type: "string" },
  threshold: { type: "string" },
  disabled: { type: "boolean", default: false },
  name: { type: "string" },
  email: { type: "string" },
  credits: { type: "string" },
  demo: { type: "boolean", default: false },
  account: { type: "string" },
  "accounts-table": { type: "string" },
  "ledger-table": { type: "string" },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

type Dependencies = AccountDependencies & ChangeCreditsDependencies & { topUps: AutoTopUpStore };

const commands: Record<string, (values: Values, deps: Dependencies) => Promise<unknown>> = {
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
  purchase: (values, deps) =>
    changed(purchasePack({ ...targetOf(values), packId: packOf(values) }, deps)),
  grant: (values, deps) =>
    changed(grantCredits({ ...targetOf(values), credits: creditsIn(values) }, deps)),
  adjust: (values, deps) => {
    const credits = Number(required(values, "credits"));
    if (!Number.isSafeInteger(credits) || credits === 0) {
      throw new Error("--credits is a whole number of credits, negative to take some away");
    }
    return changed(adjustCredits({ ...targetOf(values), credits }, deps));
  },
  "set-auto-topup": async (values, { topUps }) => {
    const accountId = required(values, "account");
    const autoTopUp =
      values.pack === undefined
        ? null
        : {
            enabled: !values.disabled,
            thresholdCredits: creditsOf(required(values, "threshold")),
            packId: packOf(values),
          };
    if (!(await topUps.setAutoTopUp(accountId, autoTopUp))) {
      throw new Error(`There is no account ${accountId}`);
    }
    return { id: accountId, auto_topup: autoTopUp };
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const command = commands[positionals[0] ?? ""];
  if (command === undefined) {
    throw new Error(`Commands: ${Object.keys(commands).join(", ")}`);
  }
  const { accounts: accountsTable, ledger: ledgerTable } = tablesOf(values);
  const client = documentClient();
  const time = { clock: systemClock, chance: systemChance };
  const result = await command(values, {
    ...time,
    accounts: dynamoAccountStore(client, { accounts: accountsTable, ledger: ledgerTable }),
    changes: dynamoCreditChanges(client, { accountsTable, ledgerTable, ...time }),
    topUps: dynamoAutoTopUpStore(client, accountsTable),
  });
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

async function changed(made: Promise<ChangeOutcome>): Promise<unknown> {
  const change = await made;
  if (change.outcome === "changed") {
    return { credit_balance: change.balance, lifetime_credits: change.lifetime };
  }
  const reasons = {
    insufficient: "The balance is smaller than that",
    id_reused: "This --id has made another change before",
    unknown_account: "There is no such account",
  };
  throw new Error(reasons[change.outcome]);
}

const targetOf = (values: Values): { accountId: string; changeId: string } => ({
  accountId: required(values, "account"),
  changeId: required(values, "id"),
});

function packOf(values: Values): PackId {
  const pack = required(values, "pack");
  if (!isPackId(pack)) throw new Error(`Packs: ${Object.keys(creditPacks).join(", ")}`);
  return pack;
}

function creditsIn(values: Values): number {
  const credits = creditsOf(required(values, "credits"));
  if (credits === 0) throw new Error("--credits 0 changes nothing");
  return credits;
}

type Required = "name" | "email" | "account" | "id" | "credits" | "threshold" | "pack";

function required(values: Values, name: Required): string {
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
