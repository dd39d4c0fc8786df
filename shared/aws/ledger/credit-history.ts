import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import { chunksOf } from "../../base/chunks-of.ts";
import {
  type CreditHistory,
  type HistoryPage,
  type ListedTransaction,
  matches,
} from "../../credits/credit-history.ts";
import { comparePlaces, entryId, type EntryPlace, placeOfEntry } from "../../credits/entry-id.ts";
import { stampOf } from "../../credits/journal.ts";
import { transactionOf } from "./entry-row.ts";
import { rowsByKey } from "../table/rows-by-key.ts";
import { ledgerKeys } from "../table/table.ts";
import { entriesBelow, type PlacedEntry } from "./entry-streams.ts";
import { finalShards } from "./final-shards.ts";
import { findEntries, type Range } from "./find-entries.ts";
import {
  cachedAccountOf,
  type LedgerOptions,
  ledgerProcess,
  type LedgerProcess,
} from "./process.ts";
import { type AccountRows, readAccountRows } from "./read-shards.ts";

/**
 * Maximum number of entries that are read for one page of the listing, about 300 KB or 75 read
 * units. At the maximum, the page ends with fewer entries than the client requested.
 */
const readMax = 2_000;
/** Cost of reading one journal page of a shard, as a number of entries. */
const queryCost = 8;
/** Maximum number of keys of a BatchGetItem request. */
const keysMax = 100;

/**
 * Creates the reader of credit transactions in DynamoDB. If the filter names a call, grant,
 * purchase or adjustment, the reader computes the possible stamps of the matching entries, and
 * reads only the entries with these stamps. Otherwise it reads the ledger from newest to oldest.
 */
export function dynamoCreditHistory(
  client: DynamoDBDocumentClient,
  options: LedgerOptions,
): CreditHistory {
  const process = ledgerProcess(client, options);
  return {
    async page(accountId, { limit, startingAfter, filter = {} }) {
      const cursor =
        startingAfter === undefined ? undefined : placeOfEntry(startingAfter, accountId);
      assert(startingAfter === undefined || cursor !== undefined, "a cursor must name an entry");
      const { rows, below } = await rowsFor(process, accountId, cursor);
      const search = await findEntries(process, { accountId, rows, filter });
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      const expected = isFiltered ? search.expected : limit + 1;
      const foundEntries = candidates(process, {
        ...search,
        accountId,
        rows,
        below,
        limit,
        expected,
      });
      return collect(foundEntries, {
        accountId,
        below,
        limit,
        matches: (entry) => matches(entry, filter),
      });
    },
  };
}

/**
 * Reads an account with its shards. Also returns `below`, a position in the order of entries: the
 * page lists only older entries. For the first page, which has no `cursor`, also makes all shards
 * refuse new entries below this position, because later pages could miss such entries.
 */
async function rowsFor(
  process: LedgerProcess,
  accountId: string,
  cursor: EntryPlace | undefined,
): Promise<{ readonly rows: AccountRows | undefined; readonly below: EntryPlace }> {
  if (cursor !== undefined) {
    // A cursor without a stamp is the place of an unsharded entry. Only unsharded entries follow
    // it, so the shards are not read.
    const rows =
      cursor.at === 0
        ? undefined
        : await readAccountRows(process, accountId, cachedAccountOf(process, accountId).shards);
    return { rows, below: cursor };
  }
  const rows = await finalShards(process, accountId);
  const hasShards = rows !== undefined && rows.shards.length > 0;
  const oldest = { at: 0, shard: 0, part: ledgerKeys.sequenceMax + 1 };
  return { rows, below: hasShards ? after(rows.upTo) : oldest };
}

/** Returns the place just after all entries with stamps up to `at`. */
const after = (at: number): EntryPlace => ({ at, shard: Infinity, part: 0 });

/** Returns the place just before all entries with the stamp `at`. */
const first = (at: number): EntryPlace => ({ at, shard: 0, part: 0 });

interface Candidate extends PlacedEntry {
  /** Cost of reading the candidate, as a number of entries. */
  readonly cost: number;
}

interface EntriesRequest {
  readonly accountId: string;
  readonly rows: AccountRows | undefined;
  readonly below: EntryPlace;
  readonly limit: number;
  readonly expected: number;
  readonly ranges: readonly Range[];
  readonly sequences: readonly number[];
}

/**
 * Yields the entries that may match the filter, newest first: the entries in the ranges of stamps,
 * then the unsharded entries by sequence.
 */
async function* candidates(
  process: LedgerProcess,
  wanted: EntriesRequest,
): AsyncGenerator<Candidate> {
  const { accountId, rows, below, limit, expected, ranges, sequences } = wanted;
  const shards = rows?.shards ?? [];
  for (const range of ranges) {
    const { from, to, withOld } = range;
    const top = [below, after(to)].toSorted(comparePlaces)[0] ?? below;
    if (!withOld && comparePlaces(top, first(from)) <= 0) continue;
    for await (const placed of entriesBelow(process, { accountId, shards, below: top, expected })) {
      if (isBefore(placed, range)) break;
      yield { ...placed, cost: 1 };
    }
    if (!withOld) yield { place: first(from), entry: null, cost: queryCost * shards.length };
  }
  const left = sequences.filter((sequence) => comparePlaces(placeOf(sequence), below) < 0);
  const size = Math.min(keysMax, limit + 1);
  for (const some of chunksOf(left, size)) {
    yield* await readOld(process, accountId, some);
  }
}

const placeOf = (sequence: number): EntryPlace => ({ at: 0, shard: 0, part: sequence });

/**
 * Returns true for an entry that is older than a range. If the range includes unsharded entries,
 * returns false for unsharded grants, purchases and adjustments. Their times are from the clock of
 * an operator, which may be wrong.
 */
function isBefore({ place, entry }: PlacedEntry, { from, withOld }: Range): boolean {
  if (place.at > 0 || !withOld) return place.at < from;
  return entry !== null && entry.source !== null && stampOf(new Date(entry.createdAt)) < from;
}

/** Reads unsharded entries, by their sequences, newest first. */
async function readOld(
  process: LedgerProcess,
  accountId: string,
  sequences: readonly number[],
): Promise<readonly Candidate[]> {
  const keys = sequences.map((sequence) => ledgerKeys.entry(accountId, sequence));
  const rows = await rowsByKey(process.client, { ...process, table: process.ledgerTable }, keys);
  return rows
    .map(transactionOf)
    .toSorted((a, b) => b.sequence - a.sequence)
    .map((entry) => {
      const place = placeOf(entry.sequence);
      return { place, entry: { ...entry, id: entryId(place, accountId) }, cost: 1 };
    });
}

/**
 * Collects the matching entries of one page. The page ends after `limit` entries, or after
 * candidates with a total cost of `readMax`.
 */
async function collect(
  candidatesOf: AsyncIterable<Candidate>,
  {
    accountId,
    below,
    limit,
    matches: isWanted,
  }: {
    readonly accountId: string;
    readonly below: EntryPlace;
    readonly limit: number;
    readonly matches: (entry: ListedTransaction) => boolean;
  },
): Promise<HistoryPage> {
  const transactions: ListedTransaction[] = [];
  let last = below;
  let read = 0;
  for await (const { place, entry, cost } of candidatesOf) {
    if (entry !== null && isWanted(entry)) {
      if (transactions.length === limit) return { transactions, next: entryId(last, accountId) };
      transactions.push(entry);
    }
    // The next page continues after the last entry that was read, even if that entry was not
    // listed. An ID cannot contain the negative shard number of a transfer, so 0 replaces it.
    last = { ...place, shard: Math.max(0, place.shard) };
    read += cost;
    if (read >= readMax) return { transactions, next: entryId(last, accountId) };
  }
  return { transactions, next: null };
}
