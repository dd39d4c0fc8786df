import { assert } from "../../base/assert.ts";
import { unavailable } from "../../base/errors.ts";
import type { Reservation, ReserveOutcome } from "../../credits/ledger.ts";
import {
  changeShard,
  changeShardWith,
  readShard,
  readWithRetry,
  untilDone,
} from "./change-shard.ts";
import { copyJournal, copyJournalOf } from "./copy-journal.ts";
import { accountDay, overBudget, takeFromBudget } from "./daily-budget.ts";
import { findShard, type Progress } from "./find-shard.ts";
import { openShards } from "./open-shards.ts";
import { cachedAccountOf, type LedgerProcess, nextStamp } from "./process.ts";
import { reserveUpdate } from "./shard-update.ts";

const reserved: ReserveOutcome = { outcome: "reserved" };

/**
 * Reserves credits and a slot for a call. Needs one conditional update if the home shard has both.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted, or if the
 * hold has expired before it could be reserved
 */
export function reserveCall(
  process: LedgerProcess,
  reservation: Reservation,
): Promise<ReserveOutcome> {
  const { accountId, holdId, credits, source, now, expiresAt } = reservation;
  const progress: Progress = { mayRelease: true, short: undefined, isFull: false };
  const startedAt = process.clock.now().getTime();
  const holdMs = expiresAt.getTime() - now.getTime();
  let refusals = 0;
  return untilDone(process, async (note) => {
    const { home, budget } = cachedAccountOf(process, accountId);
    const at = nextStamp(process, { accountId, shards: [home] }, { now, refusals });
    const counted = budget === null ? undefined : { ...accountDay(accountId, at), budget };
    const budgetDay = counted && { budgetDay: counted.day };
    const hold = { credits, at, expiresAt, source, ...budgetDay };
    const location = { table: process.accountsTable, accountId, shard: home };
    const taken = (shard: number, made: { readonly at: number }): ReserveOutcome => {
      process.holds.set(holdId, { ...hold, at: made.at, shard });
      return reserved;
    };
    const update = reserveUpdate(location, holdId, { ...hold, budget });
    const reserving =
      counted === undefined
        ? changeShard(process, accountId, update)
        : changeShardWith(process, accountId, [
            update,
            takeFromBudget(process, counted, { credits, now }),
          ]);
    const change = await reserving.catch(async (error: unknown) => {
      // The update may have taken effect although its request failed.
      const shard = await readWithRetry(process, () => readShard(process, accountId, home));
      if (shard === undefined || !shard.holds.has(holdId)) throw error;
      return { outcome: "refused" as const, shard };
    });
    if (change.outcome === "changed") {
      // Runs while the call waits for its source. If the copy fails, a later call repeats it.
      void (change.shard === undefined
        ? copyJournalOf(process, accountId, home)
        : copyJournal(process, accountId, change.shard));
      return taken(home, hold);
    }
    if (change.outcome === "other_refused" && counted !== undefined) {
      return (await overBudget(process, counted, credits)) ?? "fresh";
    }
    assert(change.outcome !== "other_refused", "only a budget is changed with the shard");
    if (change.outcome === "busy") {
      note(change.why);
      return "again";
    }
    if (change.outcome === "missing") {
      await openShards(process, accountId);
      return "fresh";
    }
    const { shard } = change;
    const made = shard.holds.get(holdId);
    if (made !== undefined) return taken(home, made);
    // An earlier attempt may have created the hold. If so, the hold has expired and was released.
    if (process.clock.now().getTime() - startedAt >= holdMs) throw unavailable("reserved too late");
    if (shard.inFlight >= shard.slots || shard.balance < credits) {
      return findShard(process, reservation, { progress, shards: shard.shards });
    }
    refusals += 1;
    note(`newer stamps in shard ${home}`);
    return "fresh";
  });
}
