import { timeOf } from "../../base/ids.ts";
import type { TransactionFilter } from "../../credits/credit-history.ts";
import { stampOf } from "../../credits/journal.ts";
import type { Row } from "../table/dynamo.ts";
import { firstRows } from "../table/query-rows.ts";
import { accountKeys } from "../table/table.ts";
import { readRow } from "./change-shard.ts";
import { findCallStamps } from "./find-call.ts";
import type { LedgerProcess } from "./process.ts";
import type { AccountRows } from "./read-shards.ts";

/** A range of stamps, both ends inclusive, in which a search reads entries. */
export interface Range {
  readonly from: number;
  readonly to: number;
  /** True if the search continues with the unsharded entries. */
  readonly withOld: boolean;
}

/** The parts of the ledger in which the entries for a filter can be, newest first. */
export interface Search {
  readonly ranges: readonly Range[];
  /** Sequences of unsharded entries. They are read after the ranges. */
  readonly sequences: readonly number[];
  /**
   * Number of entries that the search probably needs from a range. The first requests together read
   * that many.
   */
  readonly expected: number;
}

interface EntrySearch {
  readonly accountId: string;
  readonly rows: AccountRows | undefined;
  readonly filter: TransactionFilter;
}

/**
 * Maximum number of rows of executed credit changes (`accountKeys.change`) that one listing reads,
 * about 250 KB. Each automatic top-up adds a row. For an account with more rows, the listing
 * searches the ledger entries instead.
 */
const marksMax = 1_000;
/** Number of entries that one request of a search reads. */
const scanSize = 400;
const hourUs = 60 * 60 * 1_000_000;
/**
 * Maximum time, in microseconds, by which the stamp of an entry can be earlier than the time in an
 * ID that the entry contains. The clocks of processes differ.
 */
const skewUs = hourUs;
/**
 * Maximum time, in microseconds, from the start of a call to the resolution of its hold. If the
 * call does not resolve its hold, the hold expires, and the sweeper releases it within this time.
 */
const callUs = hourUs / 4;

/**
 * Finds the parts of an account's ledger that can contain entries for a filter, so that the caller
 * need not read the whole ledger. These parts can also contain entries that do not match the
 * filter.
 * @param rows the account and its shards; undefined if the account does not exist
 */
export async function findEntries(
  process: LedgerProcess,
  { accountId, rows, filter }: EntrySearch,
): Promise<Search> {
  const { requestId, type, watchlistId } = filter;
  if (requestId !== undefined) return entriesOfCall(process, { accountId, rows, requestId });
  if (type === "grant" || type === "purchase" || type === "adjust") {
    const marks = await marksOf(process, accountId);
    if (marks !== undefined) return entriesOfChanges(rows, type, marks);
  }
  const createdAt = watchlistId === undefined ? undefined : timeOf("watchlist", watchlistId);
  return between(since(createdAt), Infinity);
}

/** Searches all entries with stamps in a range, and the unsharded entries. */
const between = (from: number, to: number): Search => ({
  ranges: [{ from, to, withOld: true }],
  sequences: [],
  expected: scanSize,
});

/**
 * Returns the lowest stamp that an entry can have if it contains an ID created at `createdAt`; 0 if
 * `createdAt` is undefined.
 */
const since = (createdAt: Date | undefined): number =>
  createdAt === undefined ? 0 : Math.max(0, stampOf(createdAt) - skewUs);

/** Searches only the entries with these stamps and the unsharded entries with these sequences. */
const searchOf = (stamps: readonly number[], sequences: readonly number[] = []): Search => ({
  ranges: descending(stamps).map((at) => ({ from: at, to: at, withOld: false })),
  sequences: descending(sequences),
  expected: 1,
});

const descending = (numbers: readonly number[]): readonly number[] =>
  [...new Set(numbers)].toSorted((a, b) => b - a);

/** Finds where the entries of a call can be. */
async function entriesOfCall(
  process: LedgerProcess,
  { accountId, rows, requestId }: Omit<EntrySearch, "filter"> & { readonly requestId: string },
): Promise<Search> {
  const createdAt = timeOf("request", requestId);
  const hold = await readRow(process, accountKeys.hold(accountId, requestId));
  const takenBack = stampsIn(hold, "cancelled_stamp");
  if (typeof hold?.["sequence"] === "number") {
    const sequences = sequencesOfCall(hold, takenBack);
    if (sequences !== undefined) return searchOf(takenBack, sequences);
  } else if (createdAt !== undefined && rows !== undefined) {
    const stamps = await findCallStamps(process, { accountId, holdId: requestId, rows, createdAt });
    if (stamps !== undefined) return searchOf([...takenBack, ...stamps]);
  }
  if (createdAt === undefined) return between(0, Infinity);
  const resolvedAt = hold?.["resolved_at"];
  const ended = typeof resolvedAt === "string" ? stampOf(new Date(resolvedAt)) : 0;
  const to = Math.max(stampOf(createdAt), ended) + callUs + skewUs;
  const late = takenBack.filter((at) => at > to);
  const near = between(since(createdAt), to);
  return { ...near, ranges: [...searchOf(late).ranges, ...near.ranges] };
}

/** Returns the number in an attribute of a row, in an array; empty if there is none. */
const stampsIn = (row: Row | undefined, name: string): readonly number[] =>
  typeof row?.[name] === "number" ? [row[name]] : [];

/** Returns the sequences of a call's unsharded entries; undefined if they are unknown. */
function sequencesOfCall(hold: Row, takenBack: readonly number[]): readonly number[] | undefined {
  const { sequence: reserved, resolved_sequence: resolved, cancelled_sequence: refund } = hold;
  const sequence = Number(reserved);
  if (hold["state"] === "open") return [sequence];
  // `resolved_sequence` is missing if an earlier release resolved the call, or if the call was
  // resolved after its account was split into shards.
  if (typeof resolved !== "number") return undefined;
  const entries = [resolved + 1, resolved, sequence];
  if (hold["state"] !== "cancelled" || takenBack.length > 0) return entries;
  // The entry `resolved + 1` is usually the refund of the credits that the settlement did not
  // charge. If all held credits were charged, there is no such refund, and this sequence can belong
  // to the refund of the cancellation. Only `cancelled_sequence` distinguishes the two refunds.
  return typeof refund === "number" ? [refund, ...entries] : undefined;
}

/**
 * Returns the marks of an account's executed credit changes, unordered; undefined if there are more
 * than `marksMax`. Marks never expire.
 */
async function marksOf(
  { client, accountsTable }: LedgerProcess,
  accountId: string,
): Promise<readonly Row[] | undefined> {
  const { pk, sk } = accountKeys.change(accountId, "");
  const query = {
    TableName: accountsTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :change)",
    ExpressionAttributeValues: { ":pk": pk, ":change": sk },
    ProjectionExpression: "#type, #sequence, #at",
    ExpressionAttributeNames: { "#type": "type", "#sequence": "sequence", "#at": "at" },
  };
  const marks = await firstRows(client, query, marksMax + 1);
  return marks.length > marksMax ? undefined : marks;
}

/** Finds where the entries of one type of credit change can be, from the marks of the changes. */
function entriesOfChanges(
  rows: AccountRows | undefined,
  type: string,
  marks: readonly Row[],
): Search {
  const ofType = marks.filter((mark) => mark["type"] === type);
  const stamps = ofType.flatMap((mark) => stampsIn(mark, "at"));
  const sequences = ofType.flatMap((mark) => stampsIn(mark, "sequence"));
  if (type !== "grant") return searchOf(stamps, sequences);
  // The opening grant of an account has no mark. It is the first entry.
  const openedAt = rows?.account["created_at"];
  const opened = typeof openedAt === "string" ? [stampOf(new Date(openedAt))] : [];
  return searchOf([...stamps, ...opened], [...sequences, 1]);
}
