import { assert, assertNever } from "../../base/assert.ts";
import { unavailable } from "../../base/errors.ts";
import type { Reservation, ReserveOutcome } from "../../credits/ledger.ts";
import {
  changeShard,
  changeShardWith,
  awaitChange,
  type ShardChange,
  untilDone,
} from "./change-shard.ts";
import { copyJournal, copyJournalOf } from "./copy-journal.ts";
import { accountDay, overBudget, takeFromBudget } from "./daily-budget.ts";
import { prepareHomeShard, noProgress } from "./prepare-home-shard.ts";
import { openShards } from "./open-shards.ts";
import { cachedAccountOf, type LedgerProcess, nextStamp } from "./process.ts";
import type { OpenHold, Shard } from "./shard-row.ts";
import { reserveUpdate } from "./shard-update.ts";

/**
 * Reserves credits and a slot for a call. One conditional update is enough if the home shard (the
 * shard that this process tries first, see `moveHome`) has the credits and a free slot. An account
 * with a daily budget needs a transaction. Returns `reserved` if the hold now exists, even if it
 * existed before the call. Returns `insufficient`, `no_slot` or `over_budget`, without a
 * reservation, if the credits, the free slots or the daily budget are not sufficient.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted, or if the
 * attempts take as long as the lifetime of the hold
 */
export function reserveCall(
  process: LedgerProcess,
  reservation: Reservation,
): Promise<ReserveOutcome> {
  const { accountId, holdId, credits, now, expiresAt } = reservation;
  let progress = noProgress;
  const startedAt = process.clock.now().getTime();
  const holdMs = expiresAt.getTime() - now.getTime();
  let refusals = 0;
  return untilDone(process, async (note) => {
    const { home, budget } = cachedAccountOf(process, accountId);
    const at = nextStamp(process, { accountId, shards: [home] }, { now, refusals });
    const written = await writeHold(process, reservation, { home, at, budget });
    switch (written.outcome) {
      case "reserved":
        process.holds.set(holdId, { ...written.hold, shard: home });
        return { outcome: "reserved" };
      case "over_budget":
        return written;
      case "budget_changed":
        return "fresh";
      case "busy":
        note(written.why);
        return "again";
      case "missing":
        await openShards(process, accountId);
        return "fresh";
      case "refused":
        break;
      default:
        return assertNever(written);
    }
    const { shard } = written;
    // An earlier attempt may have created the hold. After `holdMs` milliseconds, such a hold may
    // have expired and been released, so the call must not use it.
    if (process.clock.now().getTime() - startedAt >= holdMs)
      throw unavailable("the reservation of credits completed too late to read the items");
    if (canHold(shard, credits)) {
      refusals += 1;
      note(`other requests changed the stamps of shard ${home}`);
      return "fresh";
    }
    const preparation = await prepareHomeShard(process, reservation, {
      progress,
      shards: shard.shards,
    });
    if (preparation.outcome !== "retry") return preparation;
    ({ progress } = preparation);
    return preparation.next;
  });
}

/** Returns true if the shard has a free slot and the credits. */
const canHold = ({ inFlight, slots, balance }: Shard, credits: number): boolean =>
  inFlight < slots && balance >= credits;

interface Attempt {
  /** The shard that gets the hold. */
  readonly home: number;
  /** Stamp of the reservation. */
  readonly at: number;
  /** The account's daily budget in credits, as this process has cached it; null for none. */
  readonly budget: number | null;
}

/**
 * The outcome of one attempt to write a hold.
 *
 * - `reserved`: the hold exists. An earlier attempt may have created it.
 * - `budget_changed`: the daily budget refused the write, but now covers the call.
 * - `over_budget`, and the outcomes of `changeShard`: there is no hold.
 */
type HoldWritten =
  | { readonly outcome: "reserved"; readonly hold: OpenHold }
  | { readonly outcome: "budget_changed" }
  | Extract<ReserveOutcome, { readonly outcome: "over_budget" }>
  | Exclude<ShardChange, { readonly outcome: "changed" }>;

/**
 * Writes the hold of a call: with one update of its shard, or with a transaction if the account has
 * a daily budget.
 * @throws the error of a failed request, if the hold does not exist afterwards
 */
async function writeHold(
  process: LedgerProcess,
  { accountId, holdId, credits, source, now, expiresAt }: Reservation,
  { home, at, budget }: Attempt,
): Promise<HoldWritten> {
  const counted = budget === null ? undefined : { ...accountDay(accountId, at), budget };
  const hold: OpenHold = {
    credits,
    at,
    expiresAt,
    source,
    ...(counted !== undefined && { budgetDay: counted.day }),
  };
  const location = { table: process.accountsTable, accountId, shard: home };
  const update = reserveUpdate(location, holdId, { ...hold, budget });
  const change = await awaitChange(
    process,
    { accountId, shard: home, tookEffect: ({ holds }) => holds.has(holdId) },
    counted === undefined
      ? changeShard(process, accountId, update)
      : changeShardWith(process, accountId, [
          update,
          takeFromBudget(process, counted, { credits, now }),
        ]),
  );
  if (change.outcome === "changed") {
    // Copies the journal while the call waits for its source. If the copy fails, a later call
    // repeats the copy.
    void (change.shard === undefined
      ? copyJournalOf(process, accountId, home)
      : copyJournal(process, accountId, change.shard));
    return { outcome: "reserved", hold };
  }
  if (change.outcome === "other_refused") {
    assert(counted !== undefined, "only a daily budget may be written together with a shard");
    return (await overBudget(process, counted, credits)) ?? { outcome: "budget_changed" };
  }
  const existingHold = change.outcome === "refused" ? change.shard.holds.get(holdId) : undefined;
  return existingHold === undefined ? change : { outcome: "reserved", hold: existingHold };
}
