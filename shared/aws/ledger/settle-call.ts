import { assert } from "../../base/assert.ts";
import { timeOfStamp } from "../../credits/journal.ts";
import type { HoldRef, Settlement } from "../../credits/ledger.ts";
import {
  changeShard,
  changeShardWith,
  awaitChange,
  readWithRetry,
  type ShardChange,
  type ShardChangeWith,
  untilDone,
} from "./change-shard.ts";
import { accountOwner, giveToBudget } from "./daily-budget.ts";
import { findSettlement } from "./find-call.ts";
import { readHold } from "./hold-row.ts";
import { type LedgerProcess, nextStamp, type OwnHold } from "./process.ts";
import type { Shard } from "./shard-row.ts";
import { settleUpdate } from "./shard-update.ts";

/**
 * The charge of a hold, and the state of its shard after the settlement. `shard` is undefined if
 * another request resolved the hold.
 */
export interface CallSettled {
  readonly credits: number;
  readonly shard: Shard | undefined;
}

/**
 * Builds a settlement that refunds all credits of a hold, and records that the call did not
 * succeed.
 */
export const atNoCharge = ({ accountId, holdId, now }: HoldRef): Settlement => ({
  accountId,
  holdId,
  credits: 0,
  succeeded: false,
  now,
});

/**
 * Returns the number of items that a settlement charges. Returns undefined if the settlement
 * charges credits but does not name the number of items.
 */
export const chargedItemCount = ({ items, credits }: Settlement): number | undefined =>
  items ?? (credits === 0 ? 0 : undefined);

/**
 * Settles the hold of a call, and returns the charge. If the hold is already settled or released,
 * changes nothing and returns the charge of the first settlement or release.
 * @throws Error if the charge exceeds the hold; 503 UNAVAILABLE if the rows stay contended or the
 * retry budget is exhausted
 */
export function settleCall(
  process: LedgerProcess,
  settlement: Settlement,
  hold: OwnHold,
): Promise<CallSettled> {
  const { accountId, holdId, credits: charged, now } = settlement;
  assert(charged <= hold.credits, "a charge must not exceed the reserved credits");
  let refusals = 0;
  return untilDone(process, async (note) => {
    const at = nextStamp(process, { accountId, shards: [hold.shard] }, { now, refusals });
    const change = await writeSettlement(process, settlement, { hold, at });
    if (change.outcome === "busy") {
      note(change.why);
      return "again";
    }
    if (change.outcome === "changed") {
      process.holds.delete(holdId);
      return { credits: charged, shard: change.shard };
    }
    assert(
      change.outcome === "refused",
      "every shard of an account must exist, because shards are never deleted",
    );
    const { shard } = change;
    if (!isHeldBy(shard, holdId, hold)) {
      process.holds.delete(holdId);
      return settledBefore(process, { accountId, holdId, shard, hold });
    }
    refusals += 1;
    note(`other requests changed the stamps of shard ${hold.shard}`);
    return "fresh";
  });
}

/** Returns true if the shard has this hold, and not a later hold with the same ID. */
const isHeldBy = (shard: Shard, holdId: string, { at }: OwnHold): boolean =>
  shard.holds.get(holdId)?.at === at;

/**
 * Attempts once to write the settlement of a call: with one update of its shard, or with a
 * transaction if credits return to the account's daily budget.
 * @param attempt.at stamp of the settlement
 * @throws the error of a failed request, if the hold is still open afterwards
 */
function writeSettlement(
  process: LedgerProcess,
  settlement: Settlement,
  { hold, at }: { readonly hold: OwnHold; readonly at: number },
): Promise<ShardChange | ShardChangeWith> {
  const { accountId, holdId, credits: charged, succeeded } = settlement;
  const location = { table: process.accountsTable, accountId, shard: hold.shard };
  const outcome = { at, charged, items: chargedItemCount(settlement), succeeded };
  const update = settleUpdate(location, { holdId, hold, outcome });
  const { budgetDay: day } = hold;
  const refunded = hold.credits - charged;
  return awaitChange(
    process,
    { accountId, shard: hold.shard, tookEffect: (shard) => !isHeldBy(shard, holdId, hold) },
    day === undefined || refunded === 0
      ? changeShard(process, accountId, update)
      : changeShardWith(process, accountId, [
          update,
          giveToBudget(process, { accountId, owner: accountOwner, day }, refunded),
        ]),
  );
}

interface ResolvedCall {
  readonly accountId: string;
  readonly holdId: string;
  /** The current state of the shard, in which the hold is no longer open. */
  readonly shard: Shard;
  readonly hold: OwnHold;
}

/** Returns the charge of a hold that another request resolved. */
async function settledBefore(
  process: LedgerProcess,
  { accountId, holdId, shard, hold }: ResolvedCall,
): Promise<CallSettled> {
  const reservedAt = timeOfStamp(hold.at);
  const record = await readWithRetry(process, () =>
    findSettlement(process, { accountId, holdId, shard, createdAt: reservedAt }),
  );
  assert(record !== undefined, "a hold that is missing in its shard must have been resolved");
  const takenBack = await readHold(process, accountId, holdId);
  return { credits: takenBack?.charged ?? record.charged, shard: undefined };
}

/**
 * Releases the expired holds of calls in the given shards, in each shard the oldest first. Returns
 * the number of expired holds, including those that another request resolved first.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted; some holds
 * may have been released
 */
export async function releaseExpiredCalls(
  process: LedgerProcess,
  { accountId, shards, now }: { accountId: string; shards: readonly Shard[]; now: Date },
): Promise<number> {
  let released = 0;
  for (const { number, holds } of shards) {
    const oldestFirst = [...holds].toSorted(([, one], [, other]) => one.at - other.at);
    for (const [holdId, hold] of oldestFirst) {
      if (hold.expiresAt > now) continue;
      const settlement = atNoCharge({ accountId, holdId, now });
      await settleCall(process, settlement, { ...hold, shard: number });
      released += 1;
    }
  }
  return released;
}
