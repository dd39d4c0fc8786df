import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { dynamoAccountStore } from "../../../shared/aws/account-store.ts";
import { documentClient } from "../../../shared/aws/dynamo.ts";
import { dynamoCreditChanges } from "../../../shared/aws/ledger/credit-changes.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import type { Chance } from "../../../shared/base/clock.ts";
import { concurrencyTiers, limits } from "../../../shared/base/limits.ts";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import { reconcileBooks } from "../reconciled.ts";
import type { DynamoRules } from "./contention.ts";
import { modelledDynamo } from "./dynamo-model.ts";
import { type CallFigures, type LoadFigures, offerLoad } from "./load.ts";
import { virtualTime } from "./virtual-time.ts";

export interface AccountTables {
  readonly accounts: string;
  readonly ledger: string;
}

export interface AccountCase {
  readonly environments: number;
  readonly workSeconds: number;
  readonly seconds: number;
  /** Calls offered a second; 0: every environment calls without a pause. */
  readonly rate: number;
  readonly watchlists: number;
  readonly seed: number;
  readonly rules: DynamoRules;
}

/** Times in milliseconds; percentiles over the calls that ended in the measured seconds. */
export interface AccountFigures {
  readonly environments: number;
  readonly work_s: number;
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
  readonly limited: number;
  readonly "no slot": number;
  readonly failed: number;
  readonly steps: number;
}

/** Calls a second that a key is used for; it may make 50. */
const callsPerKey = 35;

/** Measures one account under load; its books are compared at the end. */
export async function measureAccount(
  wanted: AccountCase,
  { endpoint, tables }: { readonly endpoint: string; readonly tables: AccountTables },
): Promise<AccountFigures> {
  const { environments, workSeconds, rate } = wanted;
  const random = seeded(wanted.seed);
  const chance: Chance = { bytes: (length) => systemChance.bytes(length), fraction: random };
  const rows = dynamoAccountStore(documentClient(), tables);
  const dependencies = { accounts: rows, clock: systemClock, chance: systemChance };
  const lifetime = concurrencyTiers.find(({ concurrency }) => concurrency >= environments);
  const account = await createAccount(
    {
      name: "Bench",
      email: "bench@example.com",
    },
    dependencies,
  );
  await dynamoCreditChanges(documentClient(), {
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    clock: systemClock,
    chance: systemChance,
  }).apply({
    accountId: account.id,
    changeId: "slots",
    type: "purchase",
    credits: Math.max(limits.signupCredits, lifetime?.atLifetimeCredits ?? 0),
    now: systemClock.now(),
  });
  const expected = rate === 0 ? environments / (workSeconds + 0.02) : rate;
  const keyHashes: string[] = [];
  // An account has 20 keys at most; more calls than these may make need keys of other accounts.
  for (let owner = account; keyHashes.length < Math.ceil(expected / callsPerKey);) {
    if (keyHashes.length > 0 && keyHashes.length % limits.apiKeysMax === 0) {
      owner = await createAccount({ name: "Keys", email: "keys@example.com" }, dependencies);
    }
    const { key } = await createApiKey({ account: owner, name: "bench" }, dependencies);
    keyHashes.push(hashApiKey(key));
  }

  const time = virtualTime(systemClock.now());
  const client = modelledDynamo({ endpoint, time, rules: wanted.rules, random });
  const process = { clock: time.clock, chance };
  const load = await time.through(
    offerLoad({
      environments: Array.from({ length: environments }, () => ({
        accounts: dynamoAccountStore(client, tables),
        ledger: dynamoLedger(client, {
          accountsTable: tables.accounts,
          ledgerTable: tables.ledger,
          ...process,
        }),
      })),
      accountId: account.id,
      keyHashes,
      workMs: workSeconds * 1_000,
      rate,
      watchlists: wanted.watchlists,
      seconds: wanted.seconds,
      time,
      random,
    }),
  );
  client.destroy();
  await reconcileBooks(tables, account.id, time.clock);
    await reconcileBooks(tables, account.id, time.clock);
  return figuresOf(wanted, load);
}

function figuresOf({ environments, workSeconds }: AccountCase, load: LoadFigures): AccountFigures {
  const { calls } = load;
  const ledger = sorted(calls, ({ ledgerMs }) => ledgerMs);
  const requests = sorted(calls, ({ consumption }) => consumption.requests);
  const mean = (of: (call: CallFigures) => number): number =>
    rounded(calls.reduce((sum, call) => sum + of(call), 0) / Math.max(1, calls.length), 1);
  return {
    environments,
    work_s: workSeconds,
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

const sorted = (calls: readonly CallFigures[], of: (call: CallFigures) => number): number[] =>
  calls.map(of).toSorted((a, b) => a - b);

const percentile = (values: readonly number[], part: number): number =>
  values[Math.min(values.length - 1, Math.floor(part * values.length))] ?? 0;

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits));

/** A generator whose numbers follow from the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
