import { shardSlots } from "../../accounts/account.ts";
import type { JournalRecord } from "../../credits/journal.ts";
import type { CreditSource } from "../../credits/ledger.ts";
import type { Row } from "../table/dynamo.ts";
import { accountKeys } from "../table/table.ts";
import { recordOf, recordRow, journalSourceOf, journalSourceRow } from "./journal-row.ts";

/** The open hold of an item call. It is stored in the row of its shard. */
export interface OpenHold {
  /** Credits that the call may be charged at most. */
  readonly credits: number;
  /** Stamp of the reservation. */
  readonly at: number;
  /** Time from which any process may release the hold. */
  readonly expiresAt: Date;
  readonly source: CreditSource;
  /**
   * UTC day of the account's daily budget towards which the hold counts; absent if it counts
   * towards no budget.
   */
  readonly budgetDay?: string;
}

/** A part of an account's credits. It is stored in one row, and conditional updates change it. */
export interface Shard {
  /** Number of the shard, from 0. */
  readonly number: number;
  /** Number of shards of the account. */
  readonly shards: number;
  /** Maximum number of calls that may have holds in this shard at the same time. */
  readonly slots: number;
  /** Number of calls that have holds in this shard, including unsharded calls. */
  readonly inFlight: number;
  /** Number of unsharded calls in flight. Their holds have rows. */
  readonly oldInFlight: number;
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  /**
   * Sum of all credits ever added to the balance, such as grants, purchases, refunds and transfers.
   * It never decreases.
   */
  readonly added: number;
  /** Number of ledger entries of this shard so far. */
  readonly sequence: number;
  /** Stamp of the newest change. The shard refuses a change whose stamp is equal or older. */
  readonly fence: number;
  /** Open holds by hold ID. Holds of run steps, and unsharded holds, have rows instead. */
  readonly holds: ReadonlyMap<string, OpenHold>;
  /** The newest records, oldest first, that are not yet copied to a page. */
  readonly journal: readonly JournalRecord[];
  /** The account's daily budget of credits, the same in each shard; null if it has none. */
  readonly budget: number | null;
  /** Time at which the sweeper next checks the holds, ISO 8601 UTC; null if no check is due. */
  readonly dueAt: string | null;
}

/**
 * Parses the row of a shard. Does not validate the row, because only this service writes these
 * rows.
 */
export function shardOf(row: Row): Shard {
  const stored = Object.entries((row["holds"] ?? {}) as Record<string, Row>);
  const holds = new Map(stored.map(([holdId, hold]) => [holdId, holdOf(holdId, hold)]));
  const records = ((row["journal"] ?? []) as readonly Row[]).map(recordOf);
  return {
    number: Number(row["shard"]),
    shards: Number(row["shards"]),
    slots: Number(row["slots"]),
    inFlight: Number(row["in_flight"]),
    oldInFlight: Number(row["old_in_flight"] ?? 0),
    balance: Number(row["balance"]),
    held: Number(row["held"]),
    spent: Number(row["spent"]),
    added: Number(row["added"]),
    sequence: Number(row["sequence"]),
    fence: Number(row["fence"]),
    holds,
    journal: withSources(records, holds),
    budget: typeof row["budget"] === "number" ? row["budget"] : null,
    dueAt: typeof row["due_at"] === "string" ? row["due_at"] : null,
  };
}

/**
 * Returns the stored form of an open hold in the row of a shard. Attribute names have one letter,
 * because every update of a shard costs write units for the size of its row.
 */
export const holdRow = ({ credits, at, expiresAt, source, budgetDay }: OpenHold): Row => ({
  c: credits,
  a: at,
  u: Math.ceil(expiresAt.getTime() / 1_000),
  f: journalSourceRow(source),
  ...(budgetDay !== undefined && { y: budgetDay }),
});

const holdOf = (holdId: string, hold: Row): OpenHold => ({
  credits: Number(hold["c"]),
  at: Number(hold["a"]),
  expiresAt: new Date(Number(hold["u"]) * 1_000),
  source: journalSourceOf(hold["f"] as Row | undefined, holdId),
  ...(typeof hold["y"] === "string" && { budgetDay: hold["y"] }),
});

/**
 * Adds the source (the call that uses the credits) to each reservation of the row. To save space, a
 * row stores the source of a call only once: in the open hold or, after the resolution, in the
 * record of the resolution. As long as the row has the reservation, it has that hold or record.
 */
function withSources(
  records: readonly JournalRecord[],
  holds: ReadonlyMap<string, OpenHold>,
): readonly JournalRecord[] {
  const sources = new Map<string, CreditSource>(
    [...holds].map(([holdId, { source }]) => [holdId, source]),
  );
  for (const record of records) {
    if (record.type === "settle") sources.set(record.holdId, record.source);
  }
  return records.map((record) =>
    record.type === "reserve"
      ? { ...record, source: sources.get(record.holdId) ?? record.source }
      : record,
  );
}

/** A shard to create. */
export interface NewShard {
  readonly accountId: string;
  readonly number: number;
  /** Number of concurrency slots of the account. */
  readonly concurrency: number;
  readonly fence: number;
  readonly balance?: number;
  readonly held?: number;
  readonly spent?: number;
  readonly sequence?: number;
  readonly oldInFlight?: number;
  /** The account's daily budget. @default none */
  readonly budget?: number | undefined;
  readonly journal?: readonly JournalRecord[];
}

/**
 * Returns the row of a new shard, including the row's table key. The shard has no credits unless
 * `shard` gives it some.
 */
export function newShardRow(shard: NewShard): Row {
  const { accountId, number, concurrency, fence, journal = [] } = shard;
  const { balance = 0, held = 0, spent = 0, sequence = 0, oldInFlight = 0, budget } = shard;
  return {
    ...accountKeys.shard(accountId, number),
    account_id: accountId,
    shard: number,
    ...shardSlots(concurrency, number),
    in_flight: oldInFlight,
    ...(oldInFlight > 0 && { old_in_flight: oldInFlight }),
    ...(budget !== undefined && { budget }),
    balance,
    held,
    spent,
    added: balance,
    sequence,
    fence,
    holds: {},
    journal: journal.map(recordRow),
  };
}
