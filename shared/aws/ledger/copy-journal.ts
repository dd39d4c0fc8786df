import { type JournalRecord, type UsageChange, usageByDay } from "../../credits/journal.ts";
import type { TransactItem } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";
import { readShard, transactShards } from "./change-shard.ts";
import { type JournalPage, pageRecordsMin, journalPageRow } from "./journal-page.ts";
import type { LedgerProcess } from "./process.ts";
import { readJournalPages } from "./read-pages.ts";
import type { Shard } from "./shard-row.ts";
import { trimUpdate } from "./shard-update.ts";

/** Maximum number of records in one page. The minimum is `pageRecordsMin`. */
const pageRecordsMax = 32;

/**
 * Copies up to 32 of the oldest records in a shard's row to a page, and removes them from the row.
 * Does so only if the row has 8, 9, 16, 17, 24, 25 (and so on) records. Call this function after a
 * reservation. Never rejects: after a failed copy, the records stay in the row, and a later change
 * of the shard copies them.
 */
export async function copyJournal(
  process: LedgerProcess,
  accountId: string,
  shard: Shard,
): Promise<void> {
  // Only two of eight reservations start a copy. If each reservation did, several copies of the
  // same records would be in progress at once.
  if (shard.journal.length % pageRecordsMin <= 1) await copyRecords(process, accountId, shard);
}

/**
 * Reads a shard. If its row has at least 8 records, copies up to 32 of the oldest to a page, and
 * removes them from the row. Call this function after a transaction that changed the shard, because
 * the response of a transaction does not contain the shard. Never rejects: after a failed copy, the
 * records stay in the row, and a later change of the shard copies them.
 */
export async function copyJournalOf(
  process: LedgerProcess,
  accountId: string,
  shard: number,
): Promise<void> {
  const current = await readShard(process, accountId, shard).catch(() => undefined);
  if (current !== undefined) await copyRecords(process, accountId, current);
}

/**
 * Copies up to 32 of the oldest records in a shard's row to a page, and removes them from the row.
 * Does nothing if the row has fewer than 8 records. A failed copy loses nothing: the row keeps its
 * records, and a later change copies them. The page already exists only if the accounts table was
 * restored to an earlier time than the ledger table. The row then has records that are also in the
 * page.
 */
async function copyRecords(process: LedgerProcess, accountId: string, shard: Shard): Promise<void> {
  if (shard.journal.length < pageRecordsMin) return;
  const records = shard.journal.slice(0, pageRecordsMax);
  const attempt = async (count: number): Promise<"page exists" | "ended"> =>
    writePage(process, { accountId, shard, records: records.slice(0, count) }).catch(() => "ended");
  if ((await attempt(records.length)) === "ended") return;
  const from = records[0]?.at ?? 0;
  // The change that caused the copy has taken effect, so a failed request here must not fail the
  // change.
  const stored = await pageAt(process, { accountId, shard: shard.number, from }).catch(
    () => undefined,
  );
  if (stored === undefined) return;
  const isLonger = stored.records.length > records.length;
  if (!isLonger && (await attempt(stored.records.length)) === "ended") return;
  process.warn?.(
    `The journal of ${accountId} shard ${shard.number} was not copied: page ${from} exists with other records. ` +
      "Restore the tables accounts and ledger to the same second, or correct the page " +
      `(check with: npm run admin -- reconcile --account ${accountId}).`,
  );
}

interface NewPage {
  readonly accountId: string;
  readonly shard: Shard;
  /** The oldest records of the shard's journal. */
  readonly records: readonly JournalRecord[];
}

/**
 * Writes a page, removes its records from the shard's row, and adds their usage to the daily usage
 * rows. All of this is one transaction, so that the usage of each record is added once. If the page
 * exists, it must contain exactly these records.
 */
async function writePage(
  process: LedgerProcess,
  { accountId, shard, records }: NewPage,
): Promise<"page exists" | "ended"> {
  const location = { table: process.accountsTable, accountId, shard: shard.number };
  const row = journalPageRow(accountId, shard, records);
  const page = {
    Put: {
      TableName: process.ledgerTable,
      Item: row,
      ConditionExpression:
        "attribute_not_exists(pk) OR " +
        "(#records = :records AND balance_before = :balance AND sequence_before = :sequence)",
      ExpressionAttributeNames: { "#records": "records" },
      ExpressionAttributeValues: {
        ":records": row["records"],
        ":balance": row["balance_before"],
        ":sequence": row["sequence_before"],
      },
    },
  };
  const days = [...usageByDay(records).values()].map((usage) => usageItem(location, usage));
  const items = [{ Update: trimUpdate(location, records) }, page, ...days];
  const transacted = await transactShards(process, accountId, items);
  // If the removal was refused, another process has already copied the records.
  if (transacted.outcome === "changed" || transacted.refused[trimPosition] === true) return "ended";
  return transacted.refused[pagePosition] === true ? "page exists" : "ended";
}

/** Indices of the two writes in the transaction of `writePage`. */
const trimPosition = 0;
const pagePosition = 1;

/**
 * Returns the page of a shard whose first record has the stamp `from`; undefined if it does not
 * exist.
 */
async function pageAt(
  process: LedgerProcess,
  { accountId, shard, from }: { accountId: string; shard: number; from: number },
): Promise<JournalPage | undefined> {
  const wanted = { accountId, shard, from, to: from, order: "oldest first", limit: 1 } as const;
  for await (const [page] of readJournalPages(process, wanted)) return page;
  return undefined;
}

/** Builds the write that adds usage to the row of a shard and a day. */
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
