import { assert } from "../../base/assert.ts";
import { timeOfStamp } from "../../credits/journal.ts";
import type { HoldRef, Settlement } from "../../credits/ledger.ts";
import {
  changeShard,
  changeShardWith,
  knownChange,
  readWithRetry,
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

/** Builds a settlement that settles a hold at no charge. */
export const atNoCharge = ({ accountId, holdId, now }: HoldRef): Settlement => ({
  accountId,
  holdId,
  credits: 0,
  succeeded: false,
  now,
});

/** Number of items that a settlement charges; undefined if unknown. */
export const chargedItemCount = ({ items, credits }: Settlement): number | undefined =>
  items ?? (credits === 0 ? 0 : undefined);

/**
 * Settles the hold of a call, and returns the charge. If the hold is already settled or released,
 * changes nothing and returns the charge of that time.
 * @throws Error if the charge exceeds the hold; 503 UNAVAILABLE if the rows stay contended or the
 * retry budget is exhausted
 */
export function settleCall(
  process: LedgerProcess,
  settlement: Settlement,
  hold: OwnHold,
): Promise<CallSettled> {
  const { accountId, holdId, credits: charged, succeeded, now } = settlement;
  assert(charged <= hold.credits, "a charge is at most the reserved credits");
  const items = chargedItemCount(settlement);
  const location = { table: process.accountsTable, accountId, shard: hold.shard };
  const decided = async (shard: Shard): Promise<CallSettled> => {
    const made = timeOfStamp(hold.at);
    const record = await readWithRetry(process, () =>
      findSettlement(process, { accountId, holdId, shard, made }),
    );
    assert(record !== undefined, "a hold that is no longer in its shard was resolved");
    const takenBack = await readHold(process, accountId, holdId);
    return { credits: takenBack?.charged ?? record.charged, shard: undefined };
  };
  const isHeldBy = (shard: Shard): boolean => shard.holds.get(holdId)?.at === hold.at;
  let refusals = 0;
  return untilDone(process, async (note) => {
    const at = nextStamp(process, { accountId, shards: [hold.shard] }, { now, refusals });
    const outcome = { at, charged, items, succeeded };
    const update = settleUpdate(location, { holdId, hold, outcome });
    const { budgetDay: day } = hold;
    const refunded = hold.credits - charged;
    const change = await knownChange(
      process,
      { accountId, shard: hold.shard, tookEffect: (shard) => !isHeldBy(shard) },
      day === undefined || refunded === 0
        ? changeShard(process, accountId, update)
        : changeShardWith(process, accountId, [
            update,
            giveToBudget(process, { accountId, owner: accountOwner, day }, refunded),
          ]),
    );
    if (change.outcome === "changed") {
      process.holds.delete(holdId);
      return { credits: charged, shard: change.shard };
    }
    if (change.outcome === "busy") {
      note(change.why);
      return "again";
    }
    assert(change.outcome === "refused", "a shard is missing, although shards are never deleted");
    if (!isHeldBy(change.shard)) {
      process.holds.delete(holdId);
      return decided(change.shard);
    }
    refusals += 1;
    note(`newer stamps in shard ${hold.shard}`);
    return "fresh";
  });
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
