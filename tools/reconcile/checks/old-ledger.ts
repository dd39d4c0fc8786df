import type { LedgerReader } from "../readers/ledger.ts";
import type { Difference } from "../rules/difference.ts";
import { type FoldSince, ledgerFold } from "../rules/ledger-fold.ts";
import {
  beyondDifferences,
  sumDifferences,
  type StoredAccount,
  type StoredSums,
} from "../rules/account.ts";
import type { LedgerReadDependencies, LedgerSince, ReadLedger } from "./read-ledger.ts";

/**
 * Reads the ledger of an account without shards: its row, and its entries up to the sequence in the
 * row. If the ledger has been split into shards by then, returns no differences. The `since` of the
 * result then returns `isSteady` false, so that the caller repeats the check.
 */
export async function readOldLedger(
  { accountId }: StoredAccount,
  since: FoldSince,
  { ledgerReader: reader }: LedgerReadDependencies,
): Promise<ReadLedger> {
  const fold = ledgerFold({ accountId, shard: 0, place: accountId }, since);
  const storedSums = await reader.oldSums(accountId);
  if (storedSums === undefined) {
    const { sums } = fold.end(0);
    return {
      sums,
      holds: 0,
      differences: [],
      budgetUse: new Map(),
      since: async () => hasShardsNow,
    };
  }
  const differences: Difference[] = [];
  for await (const entry of reader.entries(accountId, 1, storedSums.sequence)) {
    differences.push(...fold.take(entry));
  }
  const { sums, differences: whole } = fold.end(storedSums.sequence);
  differences.push(...whole, ...sumDifferences(storedSums, sums));
  return {
    sums,
    holds: 0,
    differences,
    budgetUse: new Map(),
    since: () => entriesSince(storedSums, reader),
  };
}

const hasShardsNow: LedgerSince = {
  changed: { holds: new Set(), dates: new Set() },
  isSteady: false,
  differences: [],
};

/**
 * Reads the entries after `sequence`, and then the account's row. Because the row is read last, its
 * sequence must include all of these entries. Returns the holds and dates that the entries changed,
 * and a difference if the sequence is too low.
 */
async function entriesSince(
  { accountId, sequence }: StoredSums,
  reader: LedgerReader,
): Promise<LedgerSince> {
  const [holds, dates] = [new Set<string>(), new Set<string>()];
  let newest = sequence;
  for await (const entry of reader.entries(accountId, sequence + 1)) {
    if (entry.holdId !== null) holds.add(entry.holdId);
    dates.add((entry.chargedAt ?? entry.createdAt).slice(0, 10));
    newest = entry.sequence;
  }
  const now = await reader.oldSums(accountId);
  if (now === undefined) return hasShardsNow;
  return { changed: { holds, dates }, isSteady: true, differences: beyondDifferences(now, newest) };
}
