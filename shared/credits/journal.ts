import type { CreditTransaction } from "./credit-history.ts";
import type { CreditSource } from "./ledger.ts";

/** The field that all records of a journal have. */
interface AnyRecord {
  /** Stamp in microseconds since 1970. Stamps strictly increase within a shard. */
  readonly at: number;
}

/** Record of credits that moved from the balance into a hold. */
export interface ReserveRecord extends AnyRecord {
  readonly type: "reserve";
  readonly holdId: string;
  readonly credits: number;
  readonly source: CreditSource;
}

/** Record of a settled hold: some of its credits were charged and the rest was refunded. */
export interface SettleRecord extends AnyRecord {
  readonly type: "settle";
  readonly holdId: string;
  readonly charged: number;
  readonly refunded: number;
  /** Number of charged items; undefined if the caller did not pass the number. */
  readonly items: number | undefined;
  readonly succeeded: boolean;
  readonly source: CreditSource;
  /**
   * UTC day of the account's daily budget towards which a call's charge counts; absent if it counts
   * towards no budget.
   */
  readonly budgetDay?: string;
}

/** Record of a reversed charge: the call returned an error after it was charged. */
export interface TakeBackRecord extends AnyRecord {
  readonly type: "take_back";
  readonly holdId: string;
  readonly credits: number;
  /** Time of the charge, ISO 8601 UTC. */
  readonly chargedAt: string;
  readonly source: CreditSource;
}

/**
 * Record of a grant, purchase or adjustment. `credits` is negative if an adjustment removed
 * credits.
 */
export interface ChangeRecord extends AnyRecord {
  readonly type: "grant" | "purchase" | "adjust";
  readonly credits: number;
  /**
   * The ID of the change, which prevents a second execution; null for the grant that opens an
   * account.
   */
  readonly changeId: string | null;
}

/**
 * Record of credits that moved between shards. `credits` is positive in the receiving shard and
 * negative in the sending shard. Clients do not see these records.
 */
export interface TransferRecord extends AnyRecord {
  readonly type: "transfer";
  readonly credits: number;
}

/** A record of one change of a shard's credits. */
export type JournalRecord =
  | ReserveRecord
  | SettleRecord
  | TakeBackRecord
  | ChangeRecord
  | TransferRecord;

/** The state of a shard before or after a record. */
export interface JournalState {
  /** Balance of the shard, in credits, without held credits. */
  readonly balance: number;
  /** Number of ledger entries of the shard so far. */
  readonly sequence: number;
}

/**
 * Returns the credits by which a journal record changes the balance of its shard: a negative number
 * if the balance decreases.
 */
export function balanceChangeOf(record: JournalRecord): number {
  if (record.type === "reserve") return -record.credits;
  return record.type === "settle" ? record.refunded : record.credits;
}

/** A ledger entry without the fields that depend on earlier records. */
interface BareEntry {
  readonly type: CreditTransaction["type"];
  readonly credits: number;
  /** Credits by which the entry changes the balance: 0 for a charge, which spends held credits. */
  readonly balanceChange: number;
}

/**
 * Returns the ledger entries of a record. A charge spends the credits of a hold, and a refund
 * returns credits to the balance. An entry of 0 credits is omitted. Exception: a settlement without
 * charged and refunded credits has a charge of 0.
 */
function bareEntriesOf(record: JournalRecord): readonly BareEntry[] {
  if (record.type === "transfer") return [];
  if (record.type === "settle") {
    const { charged, refunded } = record;
    return [
      { type: "charge" as const, credits: charged, balanceChange: 0 },
      { type: "refund" as const, credits: refunded, balanceChange: refunded },
    ].filter(({ type, credits }) => credits > 0 || (type === "charge" && refunded === 0));
  }
  const type = record.type === "take_back" ? "refund" : record.type;
  return [{ type, credits: Math.abs(record.credits), balanceChange: balanceChangeOf(record) }];
}

/**
 * Returns the number of ledger entries that a journal record produces: 0 for a transfer between
 * shards, otherwise 1 or 2.
 */
export const entryCount = (record: JournalRecord): number => bareEntriesOf(record).length;

/**
 * Returns the balance and the sequence number of a shard after a journal record, calculated from
 * the values before the record.
 */
export const stateAfter = (
  { balance, sequence }: JournalState,
  record: JournalRecord,
): JournalState => ({
  balance: balance + balanceChangeOf(record),
  sequence: sequence + entryCount(record),
});

/**
 * Returns the balance and the sequence number of a shard before the first of `records`, calculated
 * from the values after the last of them.
 * @param records consecutive journal records, oldest first
 */
export const stateBefore = (
  { balance, sequence }: JournalState,
  records: readonly JournalRecord[],
): JournalState => ({
  balance: balance - records.reduce((sum, record) => sum + balanceChangeOf(record), 0),
  sequence: sequence - records.reduce((sum, record) => sum + entryCount(record), 0),
});

/**
 * Returns the ledger entries that a journal record produces; none for a transfer. Their balances
 * and sequence numbers are those of the shard, not of the account.
 * @param before state of the shard before the record
 */
export function entriesOf(record: JournalRecord, before: JournalState): CreditTransaction[] {
  let { balance, sequence } = before;
  const entries: CreditTransaction[] = [];
  for (const { type, credits, balanceChange } of bareEntriesOf(record)) {
    sequence += 1;
    entries.push({
      sequence,
      type,
      credits,
      balanceBefore: balance,
      balanceAfter: balance + balanceChange,
      source: "source" in record ? record.source : null,
      ...(record.type === "settle" && record.items !== undefined && { itemsCharged: record.items }),
      createdAt: timeOfStamp(record.at).toISOString(),
      chargedAt: record.type === "take_back" ? record.chargedAt : null,
    });
    balance += balanceChange;
  }
  return entries;
}

/** Converts a stamp (microseconds since 1970) to a time, rounded down to milliseconds. */
export const timeOfStamp = (at: number): Date => new Date(Math.floor(at / 1_000));

/** Converts a time to a stamp (microseconds since 1970): the first stamp of its millisecond. */
export const stampOf = (time: Date): number => time.getTime() * 1_000;

/** The numbers by which the usage of one day changes. A number can be negative. */
export interface UsageChange {
  /** Day as `YYYY-MM-DD` in UTC. */
  readonly date: string;
  /** Number of item calls and run steps that reserved credits. */
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly credits: number;
}

/**
 * Returns the change of the daily usage that a journal record causes; null if the record causes no
 * change. If a record takes back the charge of a call, the call counts as failed instead of
 * successful, on the day of the charge.
 */
export function usageOf(record: JournalRecord): UsageChange | null {
  if (record.type === "settle") {
    const successful = record.succeeded ? 1 : 0;
    const date = timeOfStamp(record.at).toISOString().slice(0, 10);
    return { date, requests: 1, successful, failed: 1 - successful, credits: record.charged };
  }
  if (record.type !== "take_back") return null;
  const date = record.chargedAt.slice(0, 10);
  return { date, requests: 0, successful: -1, failed: 1, credits: -record.credits };
}

/** Adds up the usage changes of journal records, by UTC day (`YYYY-MM-DD`). */
export function usageByDay(records: readonly JournalRecord[]): ReadonlyMap<string, UsageChange> {
  const days = new Map<string, UsageChange>();
  for (const record of records) {
    const more = usageOf(record);
    if (more !== null) days.set(more.date, addUsage(days.get(more.date), more));
  }
  return days;
}

/**
 * Adds the usage change `more` to `sum`, the sum of earlier changes on the same day. `sum` is
 * undefined for the first change.
 */
export const addUsage = (sum: UsageChange | undefined, more: UsageChange): UsageChange => ({
  date: more.date,
  requests: (sum?.requests ?? 0) + more.requests,
  successful: (sum?.successful ?? 0) + more.successful,
  failed: (sum?.failed ?? 0) + more.failed,
  credits: (sum?.credits ?? 0) + more.credits,
});
