import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { concurrencyFor, shardSlots } from "../../../shared/accounts/account.ts";
import type { StoredUsage } from "../rules/account.ts";
import type { StoredPage, StoredShard } from "../rules/shard-fold.ts";
import { dueTimeOf } from "../../../shared/aws/table/due-partitions.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { journalPageOf } from "../../../shared/aws/ledger/journal-page.ts";
import type { LedgerTables } from "../../../shared/aws/ledger/process.ts";
import { shardOf } from "../../../shared/aws/ledger/shard-row.ts";
import { readRows, rowsBelow } from "./rows.ts";
import { accountKeys, ledgerKeys } from "../../../shared/aws/table/table.ts";

/** The account and number of a shard. */
export interface ShardRef {
  readonly accountId: string;
  /** The number of the shard, from 0. */
  readonly number: number;
}

/** Reads the stored rows of shards. Only reads. */
export interface ShardsReader {
  /** Returns the row of a shard; undefined if it does not exist. */
  shard(ref: ShardRef): Promise<StoredShard | undefined>;
  /**
   * Yields the pages of a shard's journal whose first record has a stamp in the range: `from`
   * inclusive, `to` exclusive.
   */
  pages(ref: ShardRef, range: { from?: number; to?: number }): AsyncIterable<StoredPage>;
  /** Yields the daily usage that is stored for a shard, by ascending date. */
  usage(ref: ShardRef): AsyncIterable<StoredUsage>;
  /** Returns the shard numbers from `shards` on that have rows or pages. */
  beyond(accountId: string, shards: number): Promise<readonly number[]>;
}

const shardsMax = shardSlots(concurrencyFor(Infinity), 0).shards;
/** A stamp in the year 2255, after all stamps of records. */
const stampMax = 9_000_000_000_000_000;

/** Creates the reader of shards and their journal pages, in the accounts and ledger tables. */
export function dynamoShardsReader(
  client: DynamoDBDocumentClient,
  { accountsTable, ledgerTable }: LedgerTables,
): ShardsReader {
  const hasRows = async (table: string, pk: string): Promise<boolean> => {
    const range = { ...rowsBelow(pk, ""), rowsAtOnce: 1 };
    for await (const _row of readRows(client, table, range)) return true;
    return false;
  };
  return {
    async shard({ accountId, number }) {
      const Key = accountKeys.shard(accountId, number);
      const command = new GetCommand({ TableName: accountsTable, Key, ConsistentRead: true });
      const { Item } = await client.send(command);
      return Item === undefined ? undefined : { ...shardOf(Item), dueAt: dueTimeOf("hold", Item) };
    },
    async *pages({ accountId, number }, { from = 0, to = stampMax }) {
      const { pk, sk } = ledgerKeys.page(accountId, number, from);
      const last = ledgerKeys.page(accountId, number, to - 1);
      if (from >= to) return;
      for await (const row of readRows(client, ledgerTable, { pk, from: sk, to: last.sk })) {
        yield storedPageOf(row);
      }
    },
    async *usage({ accountId, number }) {
      const { pk, sk } = accountKeys.shardUsage(accountId, number, "");
      for await (const row of readRows(client, accountsTable, rowsBelow(pk, sk))) {
        yield usageRowOf(row, sk);
      }
    },
    async beyond(accountId, shards) {
      const numbers: number[] = [];
      for (let number = shards; number < shardsMax; number += 1) {
        const { pk } = accountKeys.shard(accountId, number);
        if ((await hasRows(accountsTable, pk)) || (await hasRows(ledgerTable, pk))) {
          numbers.push(number);
        }
      }
      return numbers;
    },
  };
}

const storedPageOf = (row: Row): StoredPage => ({
  ...journalPageOf(row),
  firstStamp: Number(String(row["sk"]).split("#")[1]),
});

/** Parses a row of daily usage. The row's sort key is `prefix` followed by the UTC date. */
export const usageRowOf = (row: Row, prefix: string): StoredUsage => ({
  date: String(row["sk"]).slice(prefix.length),
  requests: Number(row["requests"]),
  successful: Number(row["successful"]),
  failed: Number(row["failed"]),
  credits: Number(row["credits"]),
});
