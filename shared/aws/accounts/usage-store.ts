import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DailyUsage, UsageStore } from "../../accounts/usage-store.ts";
import { assert } from "../../base/assert.ts";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { addUsage, type UsageChange, usageByDay } from "../../credits/journal.ts";
import { type Row, retryWhileContended } from "../table/dynamo.ts";
import { journalOf } from "../ledger/journal-page.ts";
import { readAccountRows } from "../ledger/read-shards.ts";
import { type Shard, shardOf } from "../ledger/shard-row.ts";
import { queryRows } from "../table/query-rows.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { accountKeys, type RowKey } from "../table/table.ts";

interface Reader {
  readonly client: DynamoDBDocumentClient;
  readonly accountsTable: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Creates the reader of daily usage in DynamoDB. */
export function dynamoUsageStore(
  client: DynamoDBDocumentClient,
  options: Omit<Reader, "client">,
): UsageStore {
  const reader = { ...options, client };
  return {
    async daily(accountId, days) {
      const { shards = [] } = (await readAccountRows(reader, accountId)) ?? {};
      return dailyUsage(reader, { accountId, shards }, days);
    },
  };
}

interface AccountShards {
  readonly accountId: string;
  readonly shards: readonly Shard[];
}

/**
 * Reads the usage of an account whose shards the caller has read. A shard's usage of a day is the
 * sum of two parts: the usage row of the shard for that day, which counts the records in journal
 * pages, and the journal records that no page contains yet. Rows of the account contain the usage
 * of days before the account had shards.
 * @returns the days with usage, oldest first
 * @throws 503 UNAVAILABLE if records are copied to pages during each read
 */
export async function dailyUsage(
  reader: Reader,
  account: AccountShards,
  days: Days,
): Promise<readonly DailyUsage[]> {
  const [unsharded, sharded] = await Promise.all([
    usageRows(reader, accountKeys.usage(account.accountId, ""), days),
    usageOfShards(reader, account, days),
  ]);
  return sumByDay([...unsharded.map(usageOf), ...sharded]);
}

/** Reads the usage rows whose key begins with `key`. */
const usageRows = (
  { client, accountsTable }: Reader,
  key: RowKey,
  { from, to }: Days,
): Promise<readonly Row[]> =>
  Array.fromAsync(
    queryRows(client, {
      TableName: accountsTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": key.pk, ":from": key.sk + from, ":to": key.sk + to },
    }),
  );

/**
 * Reads the usage of shards. Repeats the read of those shards whose records were copied from the
 * journal to a page during the read. For a busy account, several repetitions may be needed, because
 * its records are copied many times a second.
 */
async function usageOfShards(
  reader: Reader,
  { accountId, shards }: AccountShards,
  days: Days,
): Promise<readonly UsageChange[]> {
  const changes: UsageChange[] = [];
  let left = shards;
  await retryWhileContended(reader, async () => {
    const inPages = await usageRowsOfShards(reader, { accountId, shards: left }, days);
    const current = await readShards(reader, { accountId, shards: left });
    // Records that were copied to a page between the two reads are in neither result.
    const uncopied = left.flatMap(
      (before) => current.find((after) => isSameStart(before, after)) ?? [],
    );
    for (const shard of uncopied) {
      const { pk } = accountKeys.shard(accountId, shard.number);
      changes.push(...inPages.filter((row) => row["pk"] === pk).map(usageOf));
      const inJournal = [...usageByDay(shard.journal).values()];
      changes.push(...inJournal.filter(({ date }) => date >= days.from && date <= days.to));
    }
    left = current.filter((shard) => !uncopied.includes(shard));
    return left.length === 0 ? "read" : "again";
  });
  return changes;
}

/**
 * Reads the usage rows of shards. For a single day, a request reads the rows of up to 100 shards.
 * For several days, a request reads the rows of one shard.
 */
async function usageRowsOfShards(
  reader: Reader,
  { accountId, shards }: AccountShards,
  days: Days,
): Promise<readonly Row[]> {
  const keysOf = (date: string): RowKey[] =>
    shards.map(({ number }) => accountKeys.shardUsage(accountId, number, date));
  if (days.from === days.to) {
    return rowsByKey(reader.client, { ...reader, table: reader.accountsTable }, keysOf(days.from));
  }
  const rows = await Promise.all(keysOf("").map((key) => usageRows(reader, key, days)));
  return rows.flat();
}

/** Reads the current state of shards. */
async function readShards(
  reader: Reader,
  { accountId, shards }: AccountShards,
): Promise<readonly Shard[]> {
  const keys = shards.map(({ number }) => accountKeys.shard(accountId, number));
  const rows = await rowsByKey(reader.client, { ...reader, table: reader.accountsTable }, keys);
  assert(
    rows.length === keys.length,
    "every shard of an account must exist, because shards are never deleted",
  );
  return rows.map(shardOf);
}

/**
 * Returns true if both are reads of the same shard, and no records were copied to a page between
 * the reads. Copying changes the sequence number before the first record in the shard's row.
 */
const isSameStart = (before: Shard, after: Shard): boolean =>
  before.number === after.number &&
  journalOf(before).before.sequence === journalOf(after).before.sequence;

function sumByDay(changes: readonly UsageChange[]): readonly DailyUsage[] {
  const days = new Map<string, UsageChange>();
  for (const change of changes) days.set(change.date, addUsage(days.get(change.date), change));
  return [...days.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

const usageKeyPrefix = accountKeys.usage("", "").sk;

const usageOf = (row: Row): UsageChange => ({
  date: String(row["sk"]).slice(usageKeyPrefix.length),
  requests: Number(row["requests"]),
  successful: Number(row["successful"]),
  failed: Number(row["failed"]),
  credits: Number(row["credits"]),
});
