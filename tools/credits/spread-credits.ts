import { cacheShards, type LedgerProcess } from "../../shared/aws/ledger/process.ts";
import { readAccountRows, sumsOf } from "../../shared/aws/ledger/read-shards.ts";
import { transfer } from "../../shared/aws/ledger/transfers.ts";

/**
 * Spreads credits evenly over all shards, in one transaction. Changes nothing in three cases: every
 * shard has at least an even share, the shard with the highest balance cannot provide all missing
 * credits, or a shard changed during the call. Spreading only saves time: a call whose shard lacks
 * credits transfers them from other shards.
 */
export async function spreadCredits(
  process: LedgerProcess,
  accountId: string,
  now: Date,
): Promise<void> {
  const { shards = [] } = (await readAccountRows(process, accountId)) ?? {};
  const share = Math.floor(sumsOf(shards).balance / Math.max(1, shards.length));
  const poor = shards.filter(({ balance }) => balance < share);
  const [richest] = shards.toSorted((a, b) => b.balance - a.balance);
  const missing = poor.reduce((sum, { balance }) => sum + share - balance, 0);
  if (richest === undefined || missing === 0 || richest.balance - missing < 0) return;
  cacheShards(process, accountId, shards);
  const moves = [
    { shard: richest.number, credits: -missing },
    ...poor.map(({ number, balance }) => ({ shard: number, credits: share - balance })),
  ];
  await transfer(process, { accountId, moves, now });
}
