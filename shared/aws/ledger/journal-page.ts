import { type JournalRecord, type JournalState, stateBefore } from "../../credits/journal.ts";
import type { Row } from "../table/dynamo.ts";
import { ledgerKeys } from "../table/table.ts";
import { recordOf, recordRow } from "./journal-row.ts";
import type { Shard } from "./shard-row.ts";

/** Minimum number of records in a page. Until then, records stay in the row of the shard. */
export const pageRecordsMin = 8;

/**
 * Successive records of a shard, with the shard's balance and number of entries before the first
 * record.
 */
export interface JournalPage {
  readonly records: readonly JournalRecord[];
  readonly before: JournalState;
}

/**
 * Returns the row, including its table key, of a page with the oldest records of a shard's journal.
 * @param records the oldest records of the journal; at least one
 */
export function journalPageRow(
  accountId: string,
  shard: Shard,
  records: readonly JournalRecord[],
): Row {
  const { before } = journalOf(shard);
  return {
    ...ledgerKeys.page(accountId, shard.number, records[0]?.at ?? 0),
    account_id: accountId,
    shard: shard.number,
    balance_before: before.balance,
    sequence_before: before.sequence,
    records: records.map(recordRow),
  };
}

/**
 * Parses the row of a journal page. Does not validate the row, because only this service writes
 * these rows.
 */
export const journalPageOf = (row: Row): JournalPage => ({
  records: (row["records"] as readonly Row[]).map(recordOf),
  before: {
    balance: Number(row["balance_before"]),
    sequence: Number(row["sequence_before"]),
  },
});

/**
 * Returns the journal in the row of a shard as a page: its records, and the balance and sequence
 * number before the first record.
 */
export const journalOf = (shard: Shard): JournalPage => ({
  records: shard.journal,
  before: stateBefore(shard, shard.journal),
});
