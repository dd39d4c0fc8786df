import { type UsageChange, usageByDay } from "../../credits/journal.ts";
import type { TransactItem } from "../dynamo.ts";
import { accountKeys } from "../table.ts";
import { readRow, transactShards } from "./change-shard.ts";
import { pageRow } from "./journal-page.ts";
import type { LedgerProcess } from "./process.ts";
import { type Shard, shardOf } from "./shard-row.ts";
import { trimUpdate } from "./shard-update.ts";

/** Records that a shard keeps in its row before they are copied to a page: some 1 KB. */
const pageRecords = 8;
/** Records of one page at most, after copies that failed. */
const pageRecordsMax = 32;

/** Copies the journal that a reservation has just made longer, if that is its turn. */
export async function copyJournal(
  process: LedgerProcess,
  accountId: string,
  shard: Shard,
): Promise<void> {
  // It makes the eighth record, or the ninth; those that follow leave the copy to it.
  if (shard.journal.length % pageRecords <= 1) await copyRecords(process, accountId, shard);
}

/** The same after a transaction, which does not tell how the shard is after it. */
export async function copyJournalOf(
  process: LedgerProcess,
  accountId: string,
  shard: number,
): Promise<void> {
  const row = await readRow(process, accountKeys.shard(accountId, shard)).catch(() => undefined);
  if (row !== undefined) await copyRecords(process, accountId, shardOf(row));
}

/**
 * Copies the journal of a shard to a page once it is long enough, removes it from the row, and adds its
 * usage to the days: in one transaction, so that each record counts once. What fails is left to a
 * later change: the row keeps its records.
 */
async function copyRecords(process: LedgerProcess, accountId: string, shard: Shard): Promise<void> {
  if (shard.journal.length < pageRecords) return;
  const records = shard.journal.slice(0, pageRecordsMax);
  const place = { table: process.accountsTable, accountId, shard: shard.number };
  const page = {
    Put: {
      TableName: process.ledgerTable,
      Item: pageRow(accountId, shard, records),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
  const days = [...usageByDay(records).values()].map((usage) => usageItem(place, usage));
  const items = [{ Update: trimUpdate(place, records) }, page, ...days];
  await transactShards(process, accountId, items).catch(() => undefined);
}

const usageItem = (
  { table, accountId, shard }: { table: string; accountId: string; shard: number },
  { date, requests, successful, failed, credits }: UsageChange,
): TransactItem => ({
  Update: {
    TableName: table,
    Key: accountKeys.shardUsage(accountId, shard, date),
    UpdateExpression:
      "ADD requests :requests, successful :successful, failed :failed, credits :credits",
    ExpressionAttributeValues: {
      ":requests": requests,
      ":successful": successful,
      ":failed": failed,
      ":credits": credits,
    },
  },
});
