import { timeOf } from "../../base/ids.ts";
import {
  type JournalRecord,
  type ReserveRecord,
  type SettleRecord,
  stampOf,
} from "../../credits/journal.ts";
import type { JournalPage } from "./journal-page.ts";
import { type LedgerProcess, cacheShards, type OwnHold } from "./process.ts";
import { readJournalPages } from "./read-pages.ts";
import { type AccountRows, readAccountRows } from "./read-shards.ts";
import type { Shard } from "./shard-row.ts";

/** A record of a call in a shard: its reservation or its resolution. */
type CallRecord = ReserveRecord | SettleRecord;

/**
 * The maximum number of journal pages of a shard that a search for a call's records reads. The
 * search begins with the page that was current at the start of the call.
 */
interface Reach {
  /** The search ends if the first `pagesToReserve` pages do not contain the reservation. */
  readonly pagesToReserve: number;
  /** The search ends if the first `pagesToSettle` pages do not contain the resolution. */
  readonly pagesToSettle: number;
}

/** Reach of a search for an API call, whose client waits for the response. */
const nearReach: Reach = { pagesToReserve: 20, pagesToSettle: 200 };
/**
 * Reach of a search that must succeed. At the maximum rate of 20 calls a second, a shard fills 5
 * pages a second. The search therefore finds a reservation up to seven minutes after the start of
 * its call, and no call lasts that long.
 */
const wholeReach: Reach = { pagesToReserve: 2_000, pagesToSettle: Infinity };
/** Number of pages in one request. */
const pagesPerQuery = 20;

/**
 * The holds of a call: usually one, or none. There are two if a late duplicate of the reservation
 * took effect in another shard.
 */
export interface CallHolds {
  readonly open: readonly OwnHold[];
  readonly resolved: readonly (SettleRecord & { readonly shard: number })[];
}

/**
 * Finds the holds of a call, open and resolved, including holds that other processes made. Reads
 * the account's shards. For resolved holds, also reads the journal pages since the call began. Both
 * lists in the result are empty if the call has no hold or the account does not exist.
 * @param holdId ID of the call's hold, which is the request ID of the call
 */
export async function findCallHolds(
  process: LedgerProcess,
  accountId: string,
  holdId: string,
): Promise<CallHolds> {
  const rows = await readAccountRows(process, accountId);
  const shards = rows?.shards ?? [];
  cacheShards(process, accountId, shards);
  // The ID of a call contains the time at which the ID was created, which is before the call's
  // reservation.
  const createdAt = timeOf("request", holdId) ?? new Date(0);
  const open = shards.flatMap(({ number, holds }) => {
    const hold = holds.get(holdId);
    return hold === undefined ? [] : [{ ...hold, shard: number }];
  });
  const resolved = await Promise.all(
    shards
      .filter(({ holds }) => !holds.has(holdId))
      .map(async (shard) => {
        const record = await findSettlement(process, { accountId, holdId, shard, createdAt });
        return record === undefined ? [] : [{ ...record, shard: shard.number }];
      }),
  );
  return { open, resolved: resolved.flat() };
}

/**
 * Finds the record in a shard's journal that resolved a hold. Returns undefined if the shard had no
 * such record when the caller read it.
 * @param search.shard the shard as the caller has read it
 * @param search.createdAt a time between the start of the call and its reservation
 */
export async function findSettlement(
  process: LedgerProcess,
  search: Omit<RecordSearch, "reach">,
): Promise<SettleRecord | undefined> {
  const records = await recordsOfCall(process, { ...search, reach: wholeReach });
  return records.find((record) => record.type === "settle");
}

/**
 * Finds the stamps (microseconds since 1970) of a call's records: of its reservation, and of its
 * resolution if the hold is no longer open. Returns undefined if there are no such records, or if
 * they are too far from the start of the call to be found with few reads. The caller must read
 * `rows` before it calls this function.
 * @param search.createdAt a time between the start of the call and its reservation
 */
export async function findCallStamps(
  process: LedgerProcess,
  { rows, ...search }: Omit<RecordSearch, "shard" | "reach"> & { readonly rows: AccountRows },
): Promise<readonly number[] | undefined> {
  const records = await Promise.all(
    rows.shards.map((shard) => recordsOfCall(process, { ...search, shard, reach: nearReach })),
  );
  const shardRecords = records.find((some) => some.length > 0);
  if (shardRecords === undefined) return undefined;
  const isOpen = rows.shards.some(({ holds }) => holds.has(search.holdId));
  return shardRecords.length === 2 || isOpen ? shardRecords.map(({ at }) => at) : undefined;
}

interface RecordSearch {
  readonly accountId: string;
  readonly holdId: string;
  /**
   * The shard as the caller has read it. It must be read before the pages, because a record is
   * removed from the row only after a page contains it.
   */
  readonly shard: Shard;
  /** A time between the start of the call and its reservation. */
  readonly createdAt: Date;
  readonly reach: Reach;
}

/**
 * Returns the records of a call in a shard, oldest first. Reads the journal in the row of the
 * shard, and if necessary the pages that `reach` permits.
 */
async function recordsOfCall(
  process: LedgerProcess,
  { accountId, holdId, shard, createdAt, reach }: RecordSearch,
): Promise<readonly CallRecord[]> {
  const isOfCall = (record: JournalRecord): record is CallRecord =>
    (record.type === "reserve" || record.type === "settle") && record.holdId === holdId;
  const journal = shard.journal.filter(isOfCall);
  const oldest = shard.journal[0]?.at ?? Infinity;
  // Number of records that the call has in the shard: an open hold has only its reservation, and a
  // resolved hold also has its resolution.
  const whole = shard.holds.has(holdId) ? 1 : 2;
  if (journal.length === whole) return journal;
  const callRecords: CallRecord[] = [];
  let pages = 0;
  for await (const { records } of pagesFrom(process, {
    accountId,
    shard: shard.number,
    createdAt,
  })) {
    callRecords.push(...records.filter(isOfCall).filter(({ at }) => at < oldest));
    pages += 1;
    const pagesMax = callRecords.length === 0 ? reach.pagesToReserve : reach.pagesToSettle;
    if (callRecords.length + journal.length === whole || pages >= pagesMax) break;
  }
  return [...callRecords, ...journal];
}

/** Yields the pages of a shard, oldest first, from the page that was current at `createdAt`. */
async function* pagesFrom(
  process: LedgerProcess,
  { accountId, shard, createdAt }: { accountId: string; shard: number; createdAt: Date },
): AsyncGenerator<JournalPage> {
  const at = stampOf(createdAt);
  const place = { accountId, shard };
  const earlier = readJournalPages(process, { ...place, to: at, order: "newest first", limit: 1 });
  for await (const pages of earlier) {
    yield* pages;
    if (pages.length > 0) break;
  }
  const later = { ...place, from: at + 1, order: "oldest first", limit: pagesPerQuery } as const;
  for await (const pages of readJournalPages(process, later)) yield* pages;
}
