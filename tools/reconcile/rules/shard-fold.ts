import { type Difference, fieldDifferences } from "./difference.ts";
import {
  addUsage,
  balanceChangeOf,
  entriesOf,
  type JournalRecord,
  type JournalState,
  stateBefore,
  type UsageChange,
  usageOf,
} from "../../../shared/credits/journal.ts";
import {
  type FoldSince,
  type LedgerEntry,
  ledgerFold,
  type LedgerSums,
  type OpenHold,
} from "./ledger-fold.ts";

/** A stored page of a shard's journal. */
export interface StoredPage {
  /**
   * The stamp of the first record, from the page's key. A stamp is the time of a change in
   * microseconds since 1970.
   */
  readonly firstStamp: number;
  readonly records: readonly JournalRecord[];
  /** The balance and sequence before the first record. */
  readonly before: JournalState;
}

/** The fields that a shard's row stores. */
export interface StoredShard extends JournalState {
  /** The number of shards of the account. */
  readonly shards: number;
  /** The number of slots of the shard. */
  readonly slots: number;
  /** The number of slots of the shard that calls occupy. */
  readonly inFlight: number;
  /** The number of unsharded calls in flight. */
  readonly oldInFlight: number;
  /** Credits that open holds reserve. */
  readonly held: number;
  readonly spent: number;
  /** All credits that were ever added to the balance. */
  readonly added: number;
  /** The stamp of the newest change. The shard refuses a change whose stamp is equal or older. */
  readonly fence: number;
  /** The open holds of calls, by hold ID. `at` is the stamp of the reservation. */
  readonly holds: ReadonlyMap<
    string,
    { readonly credits: number; readonly at: number; readonly budgetDay?: string }
  >;
  /** The newest records. Older records are in pages. */
  readonly journal: readonly JournalRecord[];
  /**
   * The time at which the sweeper checks the shard's holds (ISO 8601 UTC); null if the row is not
   * in the sweeper's index.
   */
  readonly dueAt: string | null;
}

/** The sums of all records of a shard. */
export interface ShardSums extends LedgerSums {
  /** All credits that were ever added to the balance. */
  readonly added: number;
  /** The stamp of the newest record; 0 if there are no records. */
  readonly newest: number;
  /** The usage (calls and credits) of the records in pages, by UTC date. */
  readonly pageUsage: ReadonlyMap<string, UsageChange>;
  /**
   * The credits received from other shards, by stamp; negative if they were sent to other shards.
   */
  readonly transfers: ReadonlyMap<number, number>;
  /** The credits that calls have reserved or spent of the account's daily budget, by UTC day. */
  readonly budgetUse: ReadonlyMap<string, number>;
}

/** Adds up the records of a shard in ascending order. */
export interface ShardFold {
  /**
   * Adds an unsharded entry. Returns a difference for each rule that the entry breaks. The first
   * shard's records continue after these entries.
   */
  takeEntry(entry: LedgerEntry): Difference[];
  /** Adds the records of the next page. Returns a difference for each rule that they break. */
  takePage(page: StoredPage): Difference[];
  /** Adds the records in the row, and returns the sums of all records. */
  end(row: StoredShard): { readonly sums: ShardSums; readonly differences: Difference[] };
}

/** Returns the name of a shard in the differences of a reconciliation. */
export const shardPlace = (accountId: string, shard: number): string =>
  `${accountId} shard ${shard}`;

/**
 * Returns the lowest stamp of the records that a shard's row contained when it was read. Records
 * with lower stamps are in pages. Without records in the row, returns the lowest stamp that the
 * next record can have.
 */
export const journalStart = ({ journal, fence }: Pick<StoredShard, "journal" | "fence">): number =>
  journal[0]?.at ?? fence + 1;

/**
 * Creates an accumulator for the records of a shard, which checks the rules of its journal:
 * - Each page continues where the previous page ended.
 * - Each stamp is higher than the previous stamp.
 * - The entries follow the rules of a ledger (see `ledgerFold`).
 */
export function shardFold(accountId: string, shard: number, since: FoldSince): ShardFold {
  const place = shardPlace(accountId, shard);
  const fold = ledgerFold({ accountId, shard, place }, since);
  const pageUsage = new Map<string, UsageChange>();
  const transfers = new Map<number, number>();
  const budgetUse = new Map<string, number>();
  const budgetDays = new Map<string, string>();
  const count = (day: string, credits: number): void =>
    void budgetUse.set(day, (budgetUse.get(day) ?? 0) + credits);
  let added = 0;
  let newest = 0;

  const countBudget = (record: JournalRecord): void => {
    if (record.type === "settle" && record.budgetDay !== undefined) {
      budgetDays.set(record.holdId, record.budgetDay);
      count(record.budgetDay, record.charged);
    }
    const day = record.type === "take_back" ? budgetDays.get(record.holdId) : undefined;
    if (record.type === "take_back" && day !== undefined) count(day, -record.credits);
  };

  const takeRecord = (record: JournalRecord): Difference[] => {
    const { at } = record;
    const late = at > newest ? [] : [stampDifference(place, at, newest)];
    newest = Math.max(newest, at);
    added += Math.max(0, balanceChangeOf(record));
    countBudget(record);
    if (record.type === "transfer") {
      fold.move(record.credits);
      transfers.set(at, (transfers.get(at) ?? 0) + record.credits);
    }
    return [...late, ...entriesIn(record, fold.state()).flatMap((entry) => fold.take(entry))];
  };
  return {
    takeEntry(entry) {
      const differences = fold.take(entry);
      added = entry.balanceAfter;
      return differences;
    },
    takePage({ firstStamp, records, before }) {
      const at = `${place} page ${firstStamp}`;
      for (const record of records) {
        const usage = usageOf(record);
        if (usage !== null) pageUsage.set(usage.date, addUsage(pageUsage.get(usage.date), usage));
      }
      return [
        ...fold.goOnFrom(before, at),
        ...fieldDifferences(at, { key: firstStamp }, { key: records[0]?.at }),
        ...records.flatMap(takeRecord),
      ];
    },
    end(row) {
      const before = stateBefore(row, row.journal);
      // If the row counts more entries than the pages contain, entries are missing. The fold
      // reports them, and continues from the state before the row's records.
      const isShort = before.sequence > fold.state().sequence;
      const gap = isShort ? fold.goOnFrom(before, place) : [];
      const differences = [...gap, ...row.journal.flatMap(takeRecord)];
      for (const { credits, budgetDay } of row.holds.values()) {
        if (budgetDay !== undefined) count(budgetDay, credits);
      }
      const { sums, differences: whole } = fold.end(fold.state().sequence);
      return {
        sums: { ...sums, added, newest, pageUsage, transfers, budgetUse },
        differences: [...differences, ...whole],
      };
    },
  };
}

const stampDifference = (place: string, at: number, newest: number): Difference => ({
  place: `${place} record ${at}`,
  field: "stamp",
  stored: at,
  expected: `more than ${newest}`,
});

const entriesIn = (record: JournalRecord, before: JournalState): LedgerEntry[] =>
  entriesOf(record, before).map((entry) =>
    Object.assign(entry, {
      id: null,
      holdId: "holdId" in record ? record.holdId : null,
      isOpening: record.type === "grant" && record.changeId === null,
    }),
  );

/**
 * Returns the sums of an account from the sums of its shards. The usage of unsharded entries is the
 * usage in the sums of the first shard.
 * @param shards in the order of their numbers, from 0
 */
export function sumsOfShards(shards: readonly ShardSums[]): LedgerSums {
  const total = (of: (sums: ShardSums) => number): number =>
    shards.reduce((sum, sums) => sum + of(sums), 0);
  const charged = new Map<string, number>();
  for (const [runId, credits] of shards.flatMap((sums) => [...sums.charged])) {
    charged.set(runId, (charged.get(runId) ?? 0) + credits);
  }
  return {
    sequence: total(({ sequence }) => sequence),
    balance: total(({ balance }) => balance),
    spent: total(({ spent }) => spent),
    lifetime: total(({ lifetime }) => lifetime),
    received: total(({ received }) => received),
    open: new Map<string, OpenHold>(shards.flatMap(({ open }) => [...open])),
    resolved: new Map(shards.flatMap(({ resolved }) => [...resolved])),
    usage: shards[0]?.usage ?? new Map(),
    charged,
    isWhole: shards.every(({ isWhole }) => isWhole),
  };
}
