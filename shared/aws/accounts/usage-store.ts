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
 * Reads daily usage from DynamoDB. A shard's usage of a day is the sum of two parts. The first part
 * is the shard's usage row for that day, which counts the records in pages. The second part is the
 * records that no page contains yet. Rows of the account contain the usage of days before the
 * account had shards.
 */
export function dynamoUsageStore(client: DynamoDBDocumentClient, options: Options): UsageStore {
  const { accountsTable: table } = options;
  const stored = (key: RowKey, { from, to }: Days): Promise<readonly UsageChange[]> => {
    const rows = queryRows(client, {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": key.pk, ":from": key.sk + from, ":to": key.sk + to },
    });
    return Array.fromAsync(rows, (row) => usageOf(row, key.sk));
  };
  const current = async (accountId: string, number: number): Promise<Shard> => {
    const [row] = await rowsByKey(client, { ...options, table }, [
      accountKeys.shard(accountId, number),
    ]);
    assert(
      row !== undefined,
      "every shard of an account must exist, because shards are never deleted",
    );
    return shardOf(row);
  };
  /**
   * Reads a shard's usage, and repeats the read if records were copied from the journal to a page
   * during the read. For a busy account, several repetitions may be needed, because its records are
   * copied many times a second.
   */
  const ofShard = (
    accountId: string,
    shard: Shard,
    days: Days,
  ): Promise<readonly UsageChange[]> => {
    let before = shard;
    return retryWhileContended(options, async () => {
      const key = accountKeys.shardUsage(accountId, shard.number, "");
      const inPages = await stored(key, days);
      const after = await current(accountId, shard.number);
      // Records that were copied to a page between the two reads are in neither result.
      const isUncopied = startOf(before) === startOf(after);
      before = after;
      if (!isUncopied) return "again";
      const inJournal = [...usageByDay(after.journal).values()];
      return [...inPages, ...inJournal.filter(({ date }) => date >= days.from && date <= days.to)];
    });
  };
  return {
    async daily(accountId, days) {
      const { shards = [] } = (await readAccountRows({ client, ...options }, accountId)) ?? {};
      const all = await Promise.all([
        stored(accountKeys.usage(accountId, ""), days),
        ...shards.map((shard) => ofShard(accountId, shard, days)),
      ]);
      return sumByDay(all.flat());
    },
  };
}

/**
 * Returns the sequence number before the first record in the shard's row. This number changes when
 * records are copied to a page.
 */
const startOf = (shard: Shard): number => journalOf(shard).before.sequence;

function sumByDay(changes: readonly UsageChange[]): readonly DailyUsage[] {
  const days = new Map<string, UsageChange>();
  for (const change of changes) days.set(change.date, addUsage(days.get(change.date), change));
  return [...days.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

const usageOf = (row: Row, prefix: string): UsageChange => ({
  date: String(row["sk"]).slice(prefix.length),
  requests: Number(row["requests"]),
  successful: Number(row["successful"]),
  failed: Number(row["failed"]),
  credits: Number(row["credits"]),
});
