import type { ShardsReader } from "../readers/shards.ts";
import { concurrencyFor, shardSlots } from "../../../shared/accounts/account.ts";
import { type Difference, missing, present } from "../rules/difference.ts";
import { type JournalRecord, usageOf } from "../../../shared/credits/journal.ts";
import type { FoldSince } from "../rules/ledger-fold.ts";
import type { StoredAccount } from "../rules/account.ts";
import {
  accountDifferences,
  compareCopies,
  type ReadShard,
  shardDifferences,
  shardUsageDifferences,
} from "../rules/shards.ts";
import {
  journalStart,
  shardFold,
  shardPlace,
  type StoredShard,
  sumsOfShards,
} from "../rules/shard-fold.ts";
import type { LedgerReadDependencies, LedgerSince, ReadLedger } from "./read-ledger.ts";

interface WholeShard {
  readonly shard: ReadShard;
  readonly differences: readonly Difference[];
}

/**
 * Reads an account's shards one after the other, while calls continue. A change that affects two
 * shards can be in the result of only one of them. For example, the end of an unsharded call
 * changes the first shard, which has the call's credits, and the shard whose slot the call
 * occupies.
 */
export async function readShards(
  account: StoredAccount,
  since: FoldSince,
  dependencies: LedgerReadDependencies,
): Promise<ReadLedger> {
  const { accountId } = account;
  const shards: ReadShard[] = [];
  const differences: Difference[] = [];
  const { shards: expected } = sizeAt(account.lifetime, 0);
  for (let number = 0; number < Math.max(account.shards, expected); number += 1) {
    const read = await readShard({ accountId, number }, since, dependencies);
    if (read !== null) {
      shards.push(read.shard);
      differences.push(...read.differences);
    } else if (number < account.shards) {
      const place = shardPlace(accountId, number);
      differences.push({ place, field: "row", stored: missing, expected: present });
    }
  }
  const sums = sumsOfShards(shards.map((shard) => shard.sums));
  const isComplete = shards.length >= account.shards;
  const ledger = { account, shards, sums: { ...sums, isWhole: sums.isWhole && isComplete } };
  return {
    sums: ledger.sums,
    holds: shards.reduce((count, { row }) => count + row.holds.size, 0),
    differences,
    budgetUse: budgetUseOf(shards),
    since: () => shardsSince(ledger, dependencies),
  };
}

function budgetUseOf(shards: readonly ReadShard[]): ReadonlyMap<string, number> {
  const use = new Map<string, number>();
  for (const { sums } of shards) {
    for (const [day, credits] of sums.budgetUse) use.set(day, (use.get(day) ?? 0) + credits);
  }
  return use;
}

const sizeAt = (lifetime: number, shard: number) => shardSlots(concurrencyFor(lifetime), shard);

interface Ref {
  readonly accountId: string;
  readonly number: number;
}

/**
 * Reads a shard's row, and adds up the records that existed at that moment. Returns null if the
 * shard has no row.
 */
async function readShard(
  ref: Ref,
  since: FoldSince,
  { ledgerReader, clock }: LedgerReadDependencies,
): Promise<WholeShard | null> {
  const { accountId, number } = ref;
  const row = await ledgerReader.shards.shard(ref);
  if (row === undefined) return null;
  const fold = shardFold(accountId, number, since);
  const differences: Difference[] = [];
  if (number === 0) {
    for await (const entry of ledgerReader.entries(accountId, 1))
      differences.push(...fold.takeEntry(entry));
  }
  for await (const page of ledgerReader.shards.pages(ref, { to: journalStart(row) })) {
    differences.push(...fold.takePage(page));
  }
  const { sums, differences: whole } = fold.end(row);
  const shard = { number, row, sums };
  differences.push(...whole, ...shardDifferences(accountId, shard, clock.now()));
  return { shard, differences };
}

interface Ledger {
  readonly account: StoredAccount;
  readonly shards: readonly ReadShard[];
  readonly sums: ReturnType<typeof sumsOfShards>;
}

/**
 * Returns the changes since the shards were read. A transfer writes all of its shards in one
 * transaction. If only one side of a transfer was read before, the other side is therefore among
 * the later records.
 */
async function shardsSince(
  { account, shards, sums }: Ledger,
  { ledgerReader }: LedgerReadDependencies,
): Promise<LedgerSince> {
  const { accountId } = account;
  const holds = new Set<string>();
  const differences: Difference[] = [];
  const transfers = new Map<number, number>();
  for (const { sums: ofShard } of shards) addTransfers(transfers, ofShard.transfers);
  const more = new Map<number, number>();
  for (const shard of shards) {
    const { number, row } = shard;
    const stored = await Array.fromAsync(ledgerReader.shards.usage({ accountId, number }));
    const newRecords = await recordsSince({ accountId, number }, row, ledgerReader.shards);
    differences.push(
      ...shardUsageDifferences(accountId, shard, { stored, changed: newRecords.copiedDates }),
      ...newRecords.differences,
    );
    for (const record of newRecords.records) {
      if ("holdId" in record) holds.add(record.holdId);
      const isKnown = record.type === "transfer" && transfers.has(record.at);
      if (isKnown) addTransfers(more, new Map([[record.at, record.credits]]));
    }
  }
  addTransfers(transfers, more);
  const now = await ledgerReader.account(accountId);
  const isSteady =
    now?.shards === account.shards &&
    now.lifetime === account.lifetime &&
    now.received === account.received;
  const isOldSteady = [...sums.open].every(
    ([holdId, { takesSlot, hasRow }]) => !(takesSlot && hasRow && holds.has(holdId)),
  );
  if (isSteady) {
    const read = { account, shards, sums, transfers, isOldSteady, sizeAt };
    differences.unshift(...accountDifferences(read));
  }
  return { changed: { holds, dates: new Set() }, isSteady, differences };
}

function addTransfers(sums: Map<number, number>, more: ReadonlyMap<number, number>): void {
  for (const [at, credits] of more) sums.set(at, (sums.get(at) ?? 0) + credits);
}

interface RecordsSince {
  /** Records that were made after the row was read. */
  readonly records: readonly JournalRecord[];
  /** UTC dates of the records that were moved from the row to pages after the row was read. */
  readonly copiedDates: ReadonlySet<string>;
  readonly differences: readonly Difference[];
}

/**
 * Returns the records of a shard that were written after an earlier read of its row, whose stamp
 * was `fence`. Reads the row before its pages, so that a record that moves to a page is not missed.
 * Then reads the row again, which must not contain records that are in the pages.
 */
async function recordsSince(
  ref: Ref,
  { journal, fence }: StoredShard,
  reader: ShardsReader,
): Promise<RecordsSince> {
  const before = await reader.shard(ref);
  const records = new Map<number, JournalRecord>();
  const copiedDates = new Set<string>();
  let newest = 0;
  const note = (record: JournalRecord): void => {
    if (record.at > fence) records.set(record.at, record);
  };
  before?.journal.forEach(note);
  for await (const page of reader.pages(ref, { from: journalStart({ journal, fence }) })) {
    for (const record of page.records) {
      note(record);
      const usage = usageOf(record);
      if (usage !== null) copiedDates.add(usage.date);
      newest = Math.max(newest, record.at);
    }
  }
  const after = await reader.shard(ref);
  const place = shardPlace(ref.accountId, ref.number);
  return {
    records: [...records.values()],
    copiedDates,
    differences: after === undefined ? [] : compareCopies(place, after, newest),
  };
}
