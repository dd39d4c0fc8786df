import {
  entriesOf,
  type JournalRecord,
  type JournalState,
  stateAfter,
  stateBefore,
} from "../../credits/journal.ts";
import type { CreditTransaction } from "../../credits/credit-history.ts";
import type { Row } from "../dynamo.ts";
import { ledgerKeys } from "../table.ts";
import { recordOf, recordRow } from "./journal-row.ts";
import type { Shard } from "./shard-row.ts";

/** Records of a shard in their order, with its balance and number of entries before the first. */
export interface JournalPage {
  readonly records: readonly JournalRecord[];
  readonly before: JournalState;
}

/** The page that the oldest records of a shard's journal make. */
export function pageRow(accountId: string, shard: Shard, records: readonly JournalRecord[]): Row {
  const before = journalStart(shard);
  return {
    ...ledgerKeys.page(accountId, shard.number, records[0]?.at ?? 0),
    account_id: accountId,
    shard: shard.number,
    balance_before: before.balance,
    sequence_before: before.sequence,
    records: records.map(recordRow),
  };
}

export const pageOf = (row: Row): JournalPage => ({
  records: (row["records"] as readonly Row[]).map(recordOf),
  before: {
    balance: Number(row["balance_before"]),
    sequence: Number(row["sequence_before"]),
  },
});

/** The state of a shard before the records that its row keeps. */
const journalStart = ({ balance, sequence, journal }: Shard): JournalState =>
  stateBefore({ balance, sequence }, journal);

/** The newest records of a shard, as a page of them would be. */
export const journalOf = (shard: Shard): JournalPage => ({
  records: shard.journal,
  before: journalStart(shard),
});

/** An entry of a shard's ledger with its place in the order of all entries of the account. */
export interface ShardEntry extends CreditTransaction {
  readonly record: JournalRecord;
  readonly shard: number;
  /** Among the entries of its record, from 0. */
  readonly part: number;
}

/** The entries of a page, oldest first; balances and numbers are those of the shard. */
export function entriesOfPage({ records, before }: JournalPage, shard: number): ShardEntry[] {
  let state = before;
  return records.flatMap((record) => {
    const entries = entriesOf(record, state);
    state = stateAfter(state, record);
    return entries.map((entry, part) => ({ ...entry, record, shard, part }));
  });
}
