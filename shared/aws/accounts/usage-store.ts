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

interface Options {
  readonly accountsTable: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

interface Days {
  readonly from: string;
  readonly to: string;
}

/**
 * Creates the reader of daily usage in DynamoDB. A shard's usage of a day is the sum of two parts:
 * the usage row of the shard for that day, which counts the records in journal pages, and the
 * journal records that no page contains yet. Rows of the account contain the usage of days before
 * the account had shards.
 */
export function dynamoUsageStore(client: DynamoDBDocumentClient, options: Options): UsageStore {
  const { accountsTable: table } = options;
  const stored = (key: RowKey, { from, to }: Days): Promise<readonly Row[]> =>
    Array.fromAsync(
      queryRows(client, {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": key.pk, ":from": key.sk + from, ":to": key.sk + to },
      }),
    );
  /**
   * Reads the usage rows of shards. For a single day, a request reads the rows of up to 100 shards.
   * For several days, a request reads the rows of one shard.
   */
  const storedOfShards = async (
    accountId: string,
    shards: readonly Shard[],
    days: Days,
  ): Promise<readonly Row[]> => {
    const keyOf = (date: string) => (shard: Shard) =>
      accountKeys.shardUsage(accountId, shard.number, date);
    if (days.from === days.to)
      return rowsByKey(client, { ...options, table }, shards.map(keyOf(days.from)));
    const rows = await Promise.all(shards.map(keyOf("")).map((key) => stored(key, days)));
    return rows.flat();
  };
  /** Reads the current state of shards. */
  const readAgain = async (
    accountId: string,
    shards: readonly Shard[],
  ): Promise<readonly Shard[]> => {
    const keys = shards.map((shard) => accountKeys.shard(accountId, shard.number));
    const rows = await rowsByKey(client, { ...options, table }, keys);
    assert(
      rows.length === keys.length,
      "every shard of an account must exist, because shards are never deleted",
    );
    return rows.map(shardOf);
  };
  /**
   * Reads the usage of shards. Repeats the read of those shards whose records were copied from the
   * journal to a page during the read. For a busy account, several repetitions may be needed,
   * because its records are copied many times a second.
   */
  const ofShards = async (
    accountId: string,
    shards: readonly Shard[],
    days: Days,
  ): Promise<readonly UsageChange[]> => {
    const changes: UsageChange[] = [];
    let left = shards;
    await retryWhileContended(options, async () => {
      const inPages = await storedOfShards(accountId, left, days);
      const current = await readAgain(accountId, left);
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
  };
  return {
    async daily(accountId, days) {
      const { shards = [] } = (await readAccountRows({ client, ...options }, accountId)) ?? {};
      const [unsharded, sharded] = await Promise.all([
        stored(accountKeys.usage(accountId, ""), days),
        ofShards(accountId, shards, days),
      ]);
      return sumByDay([...unsharded.map(usageOf), ...sharded]);
    },
  };
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
