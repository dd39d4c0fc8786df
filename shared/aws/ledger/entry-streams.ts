import { entriesOf, type JournalState, stateAfter } from "../../credits/journal.ts";
import type { CreditTransaction, ListedTransaction } from "../../credits/credit-history.ts";
import { comparePlaces, entryId, type EntryPlace } from "../../credits/entry-id.ts";
import type { Row } from "../table/dynamo.ts";
import { transactionOf } from "./entry-row.ts";
import { queryPages } from "../table/query-rows.ts";
import { ledgerKeys } from "../table/table.ts";
import { type JournalPage, journalOf, pageRecordsMin } from "./journal-page.ts";
import type { LedgerProcess } from "./process.ts";
import { readJournalPages } from "./read-pages.ts";
import type { Shard } from "./shard-row.ts";

/** A ledger entry or a transfer that was read, with its place in the order of the account. */
export interface PlacedEntry {
  readonly place: EntryPlace;
  /** The ledger entry; null for a transfer between shards, which clients do not see. */
  readonly entry: ListedTransaction | null;
}

interface EntryRange {
  readonly accountId: string;
  /** The shards that the caller has read. Empty for an account without shards. */
  readonly shards: readonly Shard[];
  /** Only entries at places before this one are read. */
  readonly below: EntryPlace;
  /**
   * Number of entries that the caller probably needs. The first requests together read that many.
   */
  readonly expected: number;
}

/** An entry or a transfer, with the state of its shard before and after it. */
interface Step {
  readonly place: EntryPlace;
  readonly before: JournalState;
  readonly after: JournalState;
  readonly entry: CreditTransaction | null;
}

/**
 * Shard number in the place of a transfer. It is below all real shard numbers: a transfer takes
 * effect in all of its shards at the same time, before the entries with the same stamp.
 */
const beforeShards = -1;

/**
 * Yields the ledger entries of an account before the place `below` (stamp, shard and part of an
 * entry), newest first. First come the entries of all shards, merged by stamp, then the unsharded
 * entries. The balance and the sequence number of an entry are sums over all shards at the entry's
 * place. These sums are final only if the caller has first made all shards refuse new records up to
 * `below` (see `finalShards`).
 * @param shards the shards as the caller has read them; empty for an account without shards
 * @param expected number of entries that the caller probably needs; the first requests read that
 * many
 */
export async function* entriesBelow(
  process: LedgerProcess,
  { accountId, shards, below, expected }: EntryRange,
): AsyncGenerator<PlacedEntry> {
  // An account without shards has one stream, which reads the entries from the ledger table.
  const sources = shards.length === 0 ? [undefined] : shards;
  const share = Math.ceil(expected / sources.length);
  const position = { accountId, below, share };
  const streams = await Promise.all(
    sources.map((shard) => openStream(batchesOf(process, shard, position), share)),
  );
  const heads = streams.flatMap(({ steps }) => steps.slice(0, 1));
  let balance = heads.reduce((sum, { after }) => sum + after.balance, 0);
  let sequence = heads.reduce((sum, { after }) => sum + after.sequence, 0);
  for (;;) {
    const next = newestOf(streams);
    if (next === undefined) return;
    const step = next.steps.shift();
    if (step === undefined) return;
    const { place, before, after } = step;
    const balanceBefore = balance - (after.balance - before.balance);
    const numbered = { sequence, balanceBefore, balanceAfter: balance };
    const id = entryId(place, accountId);
    yield { place, entry: step.entry && { ...step.entry, ...numbered, id } };
    balance = balanceBefore;
    sequence -= after.sequence - before.sequence;
    await fill(next, 1);
  }
}

/**
 * The entries and transfers that were read from one shard, newest first, and the iterator that
 * reads more.
 */
interface Stream {
  readonly steps: Step[];
  readonly batches: AsyncIterator<readonly Step[]>;
}

/** Creates a stream, and reads its first `steps` steps. */
async function openStream(batches: AsyncIterator<readonly Step[]>, steps: number): Promise<Stream> {
  const stream = { steps: [], batches };
  await fill(stream, steps);
  return stream;
}

/** Reads batches into a stream until it has at least `count` steps or no batch is left. */
async function fill({ steps, batches }: Stream, count: number): Promise<void> {
  while (steps.length < count) {
    const batch = await batches.next();
    if (batch.done === true) return;
    steps.push(...batch.value);
  }
}

/** Returns the stream with the newest step; undefined if all streams are empty. */
function newestOf(streams: readonly Stream[]): Stream | undefined {
  let newest: Stream | undefined;
  for (const stream of streams) {
    const [head] = stream.steps;
    if (head === undefined) continue;
    const most = newest?.steps[0];
    if (most === undefined || comparePlaces(head.place, most.place) > 0) newest = stream;
  }
  return newest;
}

interface Position {
  readonly accountId: string;
  /** Only entries and transfers below this place are read. */
  readonly below: EntryPlace;
  /** Number of entries that the caller probably needs from each shard. */
  readonly share: number;
}

/**
 * Yields the entries and transfers of a shard below a place, newest first. For the first shard, or
 * an account without shards, then also yields the unsharded entries.
 */
async function* batchesOf(
  process: LedgerProcess,
  shard: Shard | undefined,
  position: Position,
): AsyncGenerator<readonly Step[]> {
  let oldest: Step | undefined;
  if (shard !== undefined) {
    for await (const steps of journalBatches(process, shard, position)) {
      oldest = steps.at(-1) ?? oldest;
      yield steps.filter(({ place }) => comparePlaces(place, position.below) < 0);
      if (isOpening(shard, oldest)) return;
    }
  }
  if (shard === undefined || shard.number === 0) yield* oldBatches(process, position);
}

/**
 * Yields the records of a shard in batches: first the records in the row that the caller has read,
 * then the records in the pages of the journal. Omits a record of a page if the row contains it
 * too, because it was copied to the page after the row was read.
 */
async function* journalBatches(
  process: LedgerProcess,
  shard: Shard,
  { accountId, below, share }: Position,
): AsyncGenerator<readonly Step[]> {
  const { number, journal } = shard;
  yield stepsOf(journalOf(shard), number);
  const answers = readJournalPages(process, {
    accountId,
    shard: number,
    to: Math.min(below.at, (journal[0]?.at ?? Infinity) - 1),
    order: "newest first",
    limit: Math.ceil(share / pageRecordsMin) + 1,
  });
  for await (const pages of answers) yield pages.flatMap((page) => stepsOf(page, number));
}

/** Yields unsharded entries, newest first. */
async function* oldBatches(
  { client, ledgerTable }: LedgerProcess,
  { accountId, below, share }: Position,
): AsyncGenerator<readonly Step[]> {
  const last = below.at === 0 ? Math.max(0, below.part - 1) : ledgerKeys.sequenceMax;
  const oldest = ledgerKeys.entry(accountId, 0);
  const newest = ledgerKeys.entry(accountId, last);
  const entries = queryPages(client, {
    TableName: ledgerTable,
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :oldest AND :newest",
    ExpressionAttributeValues: { ":pk": oldest.pk, ":oldest": oldest.sk, ":newest": newest.sk },
    Limit: share,
  });
  for await (const rows of entries) yield rows.map(oldStep);
}

/** Returns true for the grant that opened an account. It is the first entry of the account. */
const isOpening = ({ number }: Shard, step: Step | undefined): boolean =>
  number === 0 && step?.before.sequence === 0;

/** Returns the steps of the records of a page, newest first. */
function stepsOf({ records, before }: JournalPage, shard: number): Step[] {
  let state = before;
  const steps = records.flatMap((record): Step[] => {
    const { at } = record;
    const start = state;
    state = stateAfter(start, record);
    const entries = entriesOf(record, start);
    if (entries.length === 0) {
      const place = { at, shard: beforeShards, part: 0 };
      return [{ place, before: start, after: state, entry: null }];
    }
    return entries.map((entry, part) => stepOf({ at, shard, part }, entry));
  });
  return steps.toReversed();
}

function oldStep(row: Row): Step {
  const entry = transactionOf(row);
  return stepOf({ at: 0, shard: 0, part: entry.sequence }, entry);
}

/** Derives the state of the shard before and after an entry from the entry. */
function stepOf(place: EntryPlace, entry: CreditTransaction): Step {
  const { sequence, balanceBefore, balanceAfter } = entry;
  return {
    place,
    before: { balance: balanceBefore, sequence: sequence - 1 },
    after: { balance: balanceAfter, sequence },
    entry,
  };
}
