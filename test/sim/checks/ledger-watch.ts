import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { accountKeys, type RowKey } from "../../../shared/aws/table/table.ts";
import type { User, World } from "../world.ts";
import { keysWritten } from "./table-rows.ts";
import { assertAppendOnly, assertLedgerInvariants } from "./ledger-invariants.ts";
import {
  type LedgerState,
  parseLedgerState,
  partitionRows,
  shardPartitions,
} from "./ledger-state.ts";

/** The balances of an account after a write. */
interface Moment {
  readonly at: number;
  readonly balance: number;
  /** The balance of each shard; a single balance while the account has no shards. */
  readonly balances: readonly number[];
  /** True if all slots were in use. */
  readonly isFull: boolean;
  /** The credits that the account's daily budget left; infinite without a budget. */
  readonly budgetLeft: number;
}

/** A hold of a call. Times are in milliseconds of the virtual clock. */
export interface SeenHold {
  readonly madeAt: number;
  readonly expiresAt: number;
  resolvedAt: number | undefined;
}

/** The balances of an account during a seed, and its holds. */
export interface History {
  /**
   * Returns the balances between two times, preceded by the last balances before the first time.
   */
  readonly between: (from: number, to: number) => readonly Moment[];
  readonly holds: ReadonlyMap<string, SeenHold>;
}

export type Histories = ReadonlyMap<string, History>;

/**
 * Starts to check the accounts' ledgers after each write to their rows, and reports violations
 * immediately. Returns the histories by account ID. The histories grow while the seed runs.
 */
export async function watchLedgers(world: World, users: readonly User[]): Promise<Histories> {
  const watches = await Promise.all(users.map(({ accountId }) => watchOf(world, accountId)));
  world.afterEffect.push(async (attempt) => {
    const keys = keysWritten(attempt);
    for (const watch of watches) {
      const touched = new Set(keys.filter(watch.isOwn).map(({ pk }) => pk));
      if (touched.size > 0) await watch.look(touched);
    }
  });
  return new Map(watches.map(({ accountId, history }) => [accountId, history]));
}

async function watchOf(world: World, accountId: string) {
  const { pk: own } = accountKeys.account(accountId);
  const partitions = new Map<string, readonly Row[]>();
  const moments: Moment[] = [];
  const holds = new Map<string, SeenHold>();
  let before: LedgerState | undefined;
  const read = async (names: Iterable<string>): Promise<void> => {
    for (const pk of names) partitions.set(pk, await partitionRows(world, pk));
  };
  const look = async (touched: ReadonlySet<string>): Promise<void> => {
    try {
      await read(touched);
      const account = partitions.get(own)?.find(({ sk }) => sk === "account");
      await read(shardPartitions(accountId, account).filter((pk) => !partitions.has(pk)));
      const ledger = parseLedgerState(accountId, partitions);
      assertLedgerInvariants(ledger);
      assertAppendOnly(before ?? ledger, ledger);
      before = ledger;
      const at = world.tasks.now();
      moments.push(momentOf(ledger, at));
      noteHolds(ledger, { holds, at });
      noteLedgerStates(ledger, world);
    } catch (error) {
      world.reportViolation(error as Error);
    }
  };
  await look(new Set([own]));
  const history: History = {
    holds,
    between(from, to) {
      const first = Math.max(
        0,
        moments.findLastIndex(({ at }) => at <= from),
      );
      return moments.slice(first).filter(({ at }, n) => n === 0 || at <= to);
    },
  };
  const isOwn = ({ pk, sk }: RowKey): boolean =>
    pk.startsWith(`${own}#shard#`) || (pk === own && ofCredits.test(sk));
  return { accountId, isOwn, look, history };
}

function momentOf(ledger: LedgerState, at: number): Moment {
  const { account, shards, balance, inFlight } = ledger;
  return {
    budgetLeft: budgetLeft(ledger),
    at,
    balance,
    balances: shards.length === 0 ? [balance] : shards.map(({ row }) => Number(row["balance"])),
    isFull:
      shards.length === 0
        ? inFlight >= Number(account["concurrency"])
        : shards.every(({ row }) => Number(row["in_flight"]) >= Number(row["slots"])),
  };
}

function budgetLeft({ account, budgets }: LedgerState): number {
  const budget = account["daily_credit_budget"];
  if (typeof budget !== "number") return Infinity;
  const own = budgets.filter(({ sk }) => String(sk).startsWith("budget#account#"));
  return budget - Math.max(0, ...own.map(({ used }) => Number(used)));
}

interface Noted {
  readonly holds: Map<string, SeenHold>;
  readonly at: number;
}

function noteHolds({ shards, holdRows }: LedgerState, { holds, at }: Noted): void {
  const open = new Map<string, number>();
  for (const { row } of shards) {
    for (const [id, hold] of Object.entries((row["holds"] ?? {}) as Record<string, Row>)) {
      open.set(id, Number(hold["u"]) * 1_000);
    }
  }
  for (const { hold_id: id, state, due_at: due } of holdRows) {
    if (state === "open") open.set(String(id), Date.parse(String(due)));
  }
  for (const [id, expiresAt] of open) {
    if (!holds.has(id)) holds.set(id, { madeAt: at, expiresAt, resolvedAt: undefined });
  }
  for (const [id, hold] of holds) {
    if (!open.has(id)) hold.resolvedAt ??= at;
  }
}

function noteLedgerStates({ shards }: LedgerState, { reached }: World): void {
  const records = shards.flatMap((shard) => shard.records);
  if (records.some(({ t }) => t === "x")) reached("credits moved between shards");
  if (shards.some(({ pages }) => pages.length > 0)) reached("a journal was copied to a page");
  if (shards.some(({ row }) => row["balance"] === 0) && shards.length > 1) {
    reached("a shard had no credits left");
  }
}

/**
 * Matches the sort keys of an account's credit rows. The account's partition also contains
 * watchlists and API keys.
 */
const ofCredits = /^(account$|hold#|entry#|budget#)/;
