import type { JournalRecord, SettleRecord } from "../../credits/journal.ts";
import { accountKeys } from "../table.ts";
import { readRow } from "./change-shard.ts";
import type { LedgerProcess } from "./process.ts";
import { readPages } from "./read-pages.ts";
import { shardOf } from "./shard-row.ts";

/** How the hold of a call was resolved. */
export interface Resolution {
  readonly shard: number;
  /** Credits; 0 after they were taken back. */
  readonly charged: number;
  readonly record: SettleRecord | undefined;
}

interface Wanted {
  readonly accountId: string;
  readonly holdId: string;
  readonly shard: number;
  /** A stamp before which the hold was not resolved. */
  readonly since: number;
}

/** How the hold of a call was resolved in a shard; undefined for one that was not. */
export async function findResolution(
  process: LedgerProcess,
  wanted: Wanted,
): Promise<Resolution | undefined> {
  const { holdId, shard } = wanted;
  for await (const record of newestRecords(process, wanted)) {
    if (!("holdId" in record) || record.holdId !== holdId) continue;
    if (record.type === "take_back") return { shard, charged: 0, record: undefined };
    if (record.type === "settle") return { shard, charged: record.charged, record };
  }
  return undefined;
}

/**
 * The records of a shard, newest first, back to a stamp. The row is read before the pages: a record is
 * removed from it only after it is in a page.
 */
async function* newestRecords(
  process: LedgerProcess,
  { accountId, shard, since }: Wanted,
): AsyncGenerator<JournalRecord> {
  const row = await readRow(process, accountKeys.shard(accountId, shard));
  if (row === undefined) return;
  const { journal } = shardOf(row);
  yield* journal.toReversed();
  if ((journal[0]?.at ?? Infinity) <= since) return;
  const wanted = { accountId, shard, order: "newest first", limit: pagesPerQuery } as const;
  for await (const pages of readPages(process, wanted)) {
    for (const { records } of pages) {
      yield* records.toReversed();
      if ((records[0]?.at ?? 0) <= since) return;
    }
  }
}

const pagesPerQuery = 20;
