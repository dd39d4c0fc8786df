import type { CreditTransaction } from "./credit-history.ts";
import type { CreditSource } from "./ledger.ts";

interface AnyRecord {
  /** Stamp in microseconds since 1970. Within a shard, each stamp is greater than the one before. */
  readonly at: number;
}

/** Credits moved from the balance into a hold. */
export interface ReserveRecord extends AnyRecord {
  readonly type: "reserve";
  readonly holdId: string;
  readonly credits: number;
  readonly source: CreditSource;
}

/** A hold was settled: some of its credits were charged, the rest was refunded. */
export interface SettleRecord extends AnyRecord {
  readonly type: "settle";
  readonly holdId: string;
  readonly charged: number;
  readonly refunded: number;
  /** Items that were charged; undefined if the caller did not pass them. */
  readonly items: number | undefined;
  readonly succeeded: boolean;
  readonly source: CreditSource;
}

/** The charge of a call that returned an error was reversed. */
export interface TakeBackRecord extends AnyRecord {
  readonly type: "take_back";
  readonly holdId: string;
  readonly credits: number;
  /** When it was charged, ISO 8601 UTC. */
  readonly chargedAt: string;
  readonly source: CreditSource;
}

/** Credits were added; negative if an adjustment removed them. */
export interface ChangeRecord extends AnyRecord {
  readonly type: "grant" | "purchase" | "adjust";
  readonly credits: number;
  /** Null for the grant that opens an account. */
  readonly changeId: string | null;
}

/** Credits came from another shard; negative if they went to one. Clients do not see the record. */
export interface TransferRecord extends AnyRecord {
  readonly type: "transfer";
  readonly credits: number;
}

/** One change of the credits of a shard. */
export type JournalRecord =
  | ReserveRecord
  | SettleRecord
  | TakeBackRecord
  | ChangeRecord
  | TransferRecord;

/** The balance and the number of entries of a shard before a record, or after it. */
export interface JournalState {
  readonly balance: number;
  readonly sequence: number;
}

/** By how much a record changes the balance of its shard. */
export function balanceMove(record: JournalRecord): number {
  if (record.type === "reserve") return -record.credits;
  return record.type === "settle" ? record.refunded : record.credits;
}

/** An entry without the fields that depend on the records before it. */
interface Part {
  readonly type: CreditTransaction["type"];
  readonly credits: number;
  readonly moves: number;
}

/**
 * A charge moves credits from the hold to spent, a refund from the hold to the balance. A hold of 0
 * credits gets a charge of 0, so that every settlement has an entry.
 */
function partsOf(record: JournalRecord): readonly Part[] {
  const moves = balanceMove(record);
  if (record.type === "transfer") return [];
  if (record.type === "settle") {
    const { charged, refunded } = record;
    return [
      { type: "charge" as const, credits: charged, moves: 0 },
      { type: "refund" as const, credits: refunded, moves: refunded },
    ].filter(({ type, credits }) => credits > 0 || (type === "charge" && refunded === 0));
  }
  const type = record.type === "take_back" ? "refund" : record.type;
  return [{ type, credits: Math.abs(record.credits), moves }];
}

/** How many entries of the ledger a record makes. */
export const entryCount = (record: JournalRecord): number => partsOf(record).length;

export const stateAfter = (
  { balance, sequence }: JournalState,
  record: JournalRecord,
): JournalState => ({
  balance: balance + balanceMove(record),
  sequence: sequence + entryCount(record),
});

/** The state before records that end in a state. */
export const stateBefore = (
  { balance, sequence }: JournalState,
  records: readonly JournalRecord[],
): JournalState => ({
  balance: balance - records.reduce((sum, record) => sum + balanceMove(record), 0),
  sequence: sequence - records.reduce((sum, record) => sum + entryCount(record), 0),
});

/** The entries that a record makes; balances and numbers are those of its shard. */
export function entriesOf(record: JournalRecord, before: JournalState): CreditTransaction[] {
  let { balance, sequence } = before;
  const entries: CreditTransaction[] = [];
  for (const { type, credits, moves } of partsOf(record)) {
    sequence += 1;
    entries.push({
      sequence,
      type,
      credits,
      balanceBefore: balance,
      balanceAfter: balance + moves,
      source: "source" in record ? record.source : null,
      ...(record.type === "settle" && record.items !== undefined && { itemsCharged: record.items }),
      createdAt: timeOfStamp(record.at).toISOString(),
      chargedAt: record.type === "take_back" ? record.chargedAt : null,
    });
    balance += moves;
  }
  return entries;
}

export const timeOfStamp = (at: number): Date => new Date(Math.floor(at / 1_000));

/** The first stamp of a moment. */
export const stampOf = (time: Date): number => time.getTime() * 1_000;

/** What a record adds to the usage of a day; null for a record that does not count. */
export interface UsageChange {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly credits: number;
}

/** The change of usage by a record. A call whose charge is reversed counts as failed, on the day of its success. */
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

/** The usage of records by day. */
export function usageByDay(records: readonly JournalRecord[]): ReadonlyMap<string, UsageChange> {
  const days = new Map<string, UsageChange>();
  for (const record of records) {
    const more = usageOf(record);
    if (more !== null) days.set(more.date, addUsage(days.get(more.date), more));
  }
  return days;
}

export const addUsage = (sum: UsageChange | undefined, more: UsageChange): UsageChange => ({
  date: more.date,
  requests: (sum?.requests ?? 0) + more.requests,
  successful: (sum?.successful ?? 0) + more.successful,
  failed: (sum?.failed ?? 0) + more.failed,
  credits: (sum?.credits ?? 0) + more.credits,
});
