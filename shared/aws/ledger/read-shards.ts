import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { type Row, retryWhileContended } from "../table/dynamo.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { accountKeys } from "../table/table.ts";
import { type Shard, shardOf } from "./shard-row.ts";

interface Reader {
  readonly client: DynamoDBDocumentClient;
  readonly accountsTable: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** An account with its shards. Each row was read at a different moment. */
export interface AccountRows {
  readonly account: Row;
  /**
   * The shards in ascending order of their numbers. Empty if the account's row still stores the
   * credits.
   */
  readonly shards: readonly Shard[];
}

/**
 * Returns the number of shards of an account, from its row. Returns 0 if the account has no shards
 * yet, because an earlier release stored the account's credits in this row.
 */
export const shardCountOf = (account: Row): number => Number(account["shards"] ?? 0);

/**
 * Reads the row of an account and its shards, strongly consistent. Returns undefined if the account
 * does not exist.
 * @param expected probable number of shards; if the account has more, a second request reads the
 * account and all of its shards again
 */
export async function readAccountRows(
  reader: Reader,
  accountId: string,
  expected = 1,
): Promise<AccountRows | undefined> {
  const { account, others } = await readRows(reader, { accountId, expected });
  if (account === undefined) return undefined;
  const count = shardCountOf(account);
  if (count > expected) return readAccountRows(reader, accountId, count);
  const shards = others.map(shardOf).toSorted((a, b) => a.number - b.number);
  return { account, shards: shards.slice(0, count) };
}

interface RowsQuery {
  readonly accountId: string;
  readonly expected: number;
  /**
   * Names of the attributes to read.
   * @default all attributes
   */
  readonly attributes?: readonly string[];
}

/** Reads the rows of an account and of its first `expected` shards. The shards are in any order. */
async function readRows(
  { client, accountsTable: table, ...patience }: Reader,
  { accountId, expected, ...options }: RowsQuery,
): Promise<{ readonly account: Row | undefined; readonly others: readonly Row[] }> {
  const key = accountKeys.account(accountId);
  const keys = Array.from({ length: expected }, (_, n) => accountKeys.shard(accountId, n));
  const rows = await rowsByKey(client, { ...patience, ...options, table }, [key, ...keys]);
  const account = rows.find(({ sk }) => sk === key.sk);
  return { account, others: rows.filter((row) => row !== account) };
}

/** Sums over the shards of an account. */
export interface Sums {
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  readonly inFlight: number;
}

/** Returns the sums of the balances and counters of all given shards. */
export const sumsOf = (shards: readonly Shard[]): Sums => ({
  balance: shards.reduce((sum, { balance }) => sum + balance, 0),
  held: shards.reduce((sum, { held }) => sum + held, 0),
  spent: shards.reduce((sum, { spent }) => sum + spent, 0),
  inFlight: shards.reduce((sum, { inFlight }) => sum + inFlight, 0),
});

/**
 * Returns true if the sums over the shards equal the credits that the account received. The sums
 * differ if credits moved between shards, or were added, during the read.
 */
const isWhole = ({ account, shards }: AccountRows): boolean => {
  const { balance, held, spent } = sumsOf(shards);
  return balance + held + spent === Number(account["received"]);
};

/**
 * Reads an account and its shards until balance, held and spent credits add up to the credits that
 * the account received. Returns undefined if the account does not exist.
 * @param expected probable number of shards; another number costs a second read
 * @throws 503 UNAVAILABLE if credits keep moving between shards
 */
export async function readWholeAccount(
  reader: Reader,
  accountId: string,
  expected?: number,
): Promise<AccountRows | undefined> {
  const found = await retryWhileContended<{ readonly rows: AccountRows | undefined }>(
    reader,
    async (note) => {
      const rows = await readAccountRows(reader, accountId, expected);
      if (rows === undefined || rows.shards.length === 0 || isWhole(rows)) return { rows };
      note(`credits moved between the shards of account ${accountId} during each read of them`);
      return "again";
    },
  );
  return found.rows;
}

/**
 * The numbers from which the balance of an account is calculated. Each shard was read at a
 * different moment.
 */
export interface Balances {
  readonly received: number;
  readonly shards: number;
  readonly ofShard: ReadonlyMap<number, Pick<Shard, "balance" | "held" | "spent">>;
}

const balanceAttributes = ["sk", "shard", "shards", "balance", "held", "spent", "received"];

const sumsIn = ({ balance, held, spent }: Row) => ({
  balance: Number(balance),
  held: Number(held),
  spent: Number(spent),
});

/**
 * Reads the balances and counters of an account and of its first `expected` shards. Other shards of
 * the account are not in the result.
 * @throws Error if the account does not exist
 */
export async function readBalances(
  reader: Reader,
  accountId: string,
  expected: number,
): Promise<Balances> {
  const query = { accountId, expected, attributes: balanceAttributes };
  const { account, others } = await readRows(reader, query);
  assert(account !== undefined, "the account of the credits must exist");
  if (shardCountOf(account) === 0) {
    // An account without shards stores all credits in its own row, so a single read is consistent.
    const sums = sumsIn(account);
    const received = sums.balance + sums.held + sums.spent;
    return { received, shards: 1, ofShard: new Map([[0, sums]]) };
  }
  return {
    received: Number(account["received"]),
    shards: shardCountOf(account),
    ofShard: new Map(others.map((row) => [Number(row["shard"]), sumsIn(row)])),
  };
}

/**
 * Returns the balance of an account, summed over its shards. Returns undefined if credits moved
 * between shards during the read, or if not all shards were read.
 */
export function wholeBalance({ received, shards, ofShard }: Balances): number | undefined {
  const all = [...ofShard.values()];
  const balance = all.reduce((sum, shard) => sum + shard.balance, 0);
  const rest = all.reduce((sum, { held, spent }) => sum + held + spent, 0);
  return all.length === shards && balance + rest === received ? balance : undefined;
}

/**
 * Reads the balance of an account.
 * @param expected probable number of shards; another number costs a second read
 * @throws Error if the account does not exist; 503 UNAVAILABLE if credits keep moving between
 * shards
 */
export async function totalBalance(
  reader: Reader,
  accountId: string,
  expected: number,
): Promise<number> {
  let count = expected;
  const found = await retryWhileContended(reader, async (note) => {
    const balances = await readBalances(reader, accountId, count);
    const balance = wholeBalance(balances);
    if (balance !== undefined) return { balance };
    count = Math.max(1, balances.shards);
    note(`credits moved between the shards of account ${accountId} during each read of them`);
    return "again";
  });
  return found.balance;
}
