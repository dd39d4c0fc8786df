import type { TransferRecord } from "../../credits/journal.ts";
import { transactShards } from "./change-shard.ts";
import { type LedgerProcess, nextStamp, cacheShards } from "./process.ts";
import type { Shard } from "./shard-row.ts";
import { creditUpdate } from "./shard-update.ts";

interface CreditTransfer {
  readonly accountId: string;
  /** The shard that needs credits. */
  readonly to: number;
  /** The balance that the shard `to` needs, in credits. */
  readonly credits: number;
  readonly now: Date;
}

/**
 * Transfers credits from other shards to the shard `to`, in one transaction, until its balance is
 * at least `credits`. If the shard with the highest balance alone has enough credits, only this
 * shard provides credits: the missing credits, or half of the difference of the two balances if
 * that is more, so that later calls need no transfer. Otherwise several shards provide the missing
 * credits. Returns false, without a change, if `shards` does not contain the shard `to`, a shard
 * changed since it was read, or other requests contend for the rows.
 */
export async function gatherCredits(
  process: LedgerProcess,
  { accountId, to, credits, now }: CreditTransfer,
  shards: readonly Shard[],
): Promise<boolean> {
  const target = shards.find(({ number }) => number === to);
  if (target === undefined) return false;
  const sources = sourcesFor(target, credits, shards);
  const gathered = sources.reduce((sum, source) => sum + source.credits, 0);
  cacheShards(process, accountId, shards);
  const moves = [
    { shard: to, credits: gathered },
    ...sources.map((source) => ({ shard: source.shard, credits: -source.credits })),
  ];
  return transfer(process, { accountId, moves, now });
}

/** A transfer of credits between shards of an account. */
interface Transfer {
  readonly accountId: string;
  /** By shard, the credits that it receives; negative if it provides credits. The sum is 0. */
  readonly moves: readonly { readonly shard: number; readonly credits: number }[];
  readonly now: Date;
}

/**
 * Executes a transfer in one transaction. Returns false, without a change, if a shard has changed
 * since it was read, or if DynamoDB refused the transaction because of contention.
 */
export async function transfer(
  process: LedgerProcess,
  { accountId, moves, now }: Transfer,
): Promise<boolean> {
  const numbers = moves.map(({ shard }) => shard);
  const at = nextStamp(process, { accountId, shards: numbers }, { now, refusals: 0 });
  const items = moves.map(({ shard, credits }) => {
    const record: TransferRecord = { type: "transfer", at, credits };
    const location = { table: process.accountsTable, accountId, shard };
    return { Update: creditUpdate(location, { moves: { balance: credits }, record }) };
  });
  return (await transactShards(process, accountId, items)).outcome === "changed";
}

/** Chooses the shards that provide the missing credits of `target`, and how much each provides. */
function sourcesFor(
  target: Shard,
  credits: number,
  shards: readonly Shard[],
): readonly { readonly shard: number; readonly credits: number }[] {
  const richest = shards
    .filter(({ number, balance }) => number !== target.number && balance > 0)
    .toSorted((a, b) => b.balance - a.balance);
  let missing = credits - target.balance;
  const [first] = richest;
  if (first !== undefined && first.balance >= missing) {
    const half = Math.floor((first.balance - target.balance) / 2);
    return [{ shard: first.number, credits: Math.max(missing, half) }];
  }
  const sources: { readonly shard: number; readonly credits: number }[] = [];
  for (const { number, balance } of richest) {
    if (missing <= 0) break;
    const taken = Math.min(balance, missing);
    sources.push({ shard: number, credits: taken });
    missing -= taken;
  }
  return sources;
}
