import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DailyUsage, UsageStore } from "../accounts/usage-store.ts";
import type { Chance, Clock } from "../base/clock.ts";
import { addUsage, type UsageChange, usageByDay } from "../credits/journal.ts";
import { type Row, untilSettled } from "./dynamo.ts";
import { journalOf } from "./ledger/journal-page.ts";
import { readAccountRows } from "./ledger/read-shards.ts";
import type { Shard } from "./ledger/shard-row.ts";
import { queryRows } from "./query-rows.ts";
import { accountKeys, type RowKey } from "./table.ts";

interface Options {
  readonly accountsTable: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

interface Days {
  readonly from: string;
  readonly to: string;
}

/**
 * Daily usage in DynamoDB. The usage of a shard on a day is its row for that day, which covers the
 * records in pages, plus the records in its journal. Days before the account had shards are in rows of
 * the account.
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
  return {
    daily: (accountId, days) =>
      untilSettled(options, async () => {
        const read = () => readAccountRows({ client, ...options }, accountId);
        const before = await read();
        const keys = [
          accountKeys.usage(accountId, ""),
          ...(before?.shards ?? []).map(({ number }) =>
            accountKeys.shardUsage(accountId, number, ""),
          ),
        ];
        const all = await Promise.all(keys.map((key) => stored(key, days)));
        const shards = (await read())?.shards ?? [];
        // Records that were copied after the usage rows were read are neither there nor in the journal.
        if (!isUncopied(before?.shards ?? [], shards)) return "again";
        const inJournals = shards.flatMap(({ journal }) =>
          Array.from(usageByDay(journal).values()),
        );
        const within = inJournals.filter(({ date }) => date >= days.from && date <= days.to);
        return summed([...all.flat(), ...within]);
      }),
  };
}

/** True when no journal has lost entries between two readings. */
const isUncopied = (before: readonly Shard[], after: readonly Shard[]): boolean =>
  startsOf(before) === startsOf(after);

/** The number of the first entry in each journal. */
const startsOf = (shards: readonly Shard[]): string =>
  shards.map((shard) => journalOf(shard).before.sequence).join();

function summed(changes: readonly UsageChange[]): readonly DailyUsage[] {
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
