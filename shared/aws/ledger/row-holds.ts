import { assert } from "../../base/assert.ts";
import type { ReserveRecord, SettleRecord } from "../../credits/journal.ts";
import type { Reservation, ReserveOutcome, Settlement } from "../../credits/ledger.ts";
import { dueAt } from "../table/due-partitions.ts";
import type { TransactItem } from "../table/dynamo.ts";
import { sourceRow } from "./entry-row.ts";
import { accountKeys, epochSeconds } from "../table/table.ts";
import { readWithRetry, transactShards, untilDone } from "./change-shard.ts";
import { copyJournalOf } from "./copy-journal.ts";
import {
  accountDay,
  type CountedBudget,
  giveToBudget,
  overBudget,
  takeFromBudget,
} from "./daily-budget.ts";
import { prepareHomeShard, noProgress } from "./prepare-home-shard.ts";
import { budgetsRow, readHold } from "./hold-row.ts";
import { openShards } from "./open-shards.ts";
import { cachedAccountOf, type LedgerProcess, nextStamp } from "./process.ts";
import { readAccountRows } from "./read-shards.ts";
import { chargedItemCount } from "./settle-call.ts";
import { creditUpdate, freeOldSlot } from "./shard-update.ts";

/** Days for which the row of a resolved hold is stored, with its charge. */
const resolvedHoldDays = 30;

/**
 * Reserves credits for a step of a run. Returns `insufficient` or `over_budget`, without a
 * reservation, if the balance or a daily budget does not cover them. The hold is stored in a
 * separate row, because the hold can stay open for hours, and another process resolves the hold.
 * The row of a resolved hold is kept for weeks, so a repeated call for the same step reserves
 * nothing and returns `reserved`.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function reserveStepHold(
  process: LedgerProcess,
  reservation: Reservation,
): Promise<ReserveOutcome> {
  const { accountId, holdId, credits, source, now } = reservation;
  let progress = noProgress;
  let refusals = 0;
  return untilDone(process, async (note) => {
    const { home: shard, budget } = cachedAccountOf(process, accountId);
    const at = nextStamp(process, { accountId, shards: [shard] }, { now, refusals });
    const record: ReserveRecord = { type: "reserve", at, holdId, credits, source };
    const location = { table: process.accountsTable, accountId, shard };
    const moves = { balance: -credits, held: credits };
    const budgets = budgetsFor(reservation, { budget, at });
    const transacted = await transactShards(process, accountId, [
      holdPut(process, reservation, { shard, budgets }),
      { Update: creditUpdate(location, { moves, record, budget }) },
      ...budgets.map((one) => takeFromBudget(process, one, { credits, now })),
    ]).catch(async (error: unknown) => {
      const existingHold = await readWithRetry(process, () => readHold(process, accountId, holdId));
      if (existingHold === undefined) throw error;
      return { outcome: "changed" as const };
    });
    if (transacted.outcome === "changed") {
      await copyJournalOf(process, accountId, shard);
      return { outcome: "reserved" };
    }
    const { refused, why } = transacted;
    note(why);
    if (refused[holdPosition] === true) return { outcome: "reserved" };
    const exceeded = budgets.find((_, n) => refused[firstBudgetPosition + n] === true);
    if (exceeded !== undefined) {
      return (await overBudget(process, exceeded, credits)) ?? "fresh";
    }
    if (refused[shardPosition] !== true) return "again";
    const [current] = transacted.shards;
    if (current === undefined) {
      await openShards(process, accountId);
      return "fresh";
    }
    if (current.balance < credits) {
      const preparation = await prepareHomeShard(process, reservation, {
        progress,
        shards: current.shards,
      });
      if (preparation.outcome !== "retry") return preparation;
      ({ progress } = preparation);
      return preparation.next;
    }
    refusals += 1;
    return "fresh";
  });
}

/**
 * Positions of writes in a transaction that creates or resolves a hold. In a transaction that
 * creates a hold, the writes of the budgets come last.
 */
const holdPosition = 0;
const shardPosition = 1;
const firstBudgetPosition = 2;

/**
 * Returns the daily budgets that a reservation uses: the budget of its watchlist and the budget of
 * its account, if these budgets exist. The UTC day of the budgets is the day of the stamp `at`.
 */
function budgetsFor(
  { accountId, watchlistBudget }: Reservation,
  { budget, at }: { readonly budget: number | null; readonly at: number },
): readonly CountedBudget[] {
  const day = accountDay(accountId, at);
  return [
    ...(watchlistBudget === undefined
      ? []
      : [{ ...day, owner: watchlistBudget.watchlistId, budget: watchlistBudget.credits }]),
    ...(budget === null ? [] : [{ ...day, budget }]),
  ];
}

/** Builds the write that creates the row of a hold. It fails if the row exists. */
function holdPut(
  { accountsTable }: LedgerProcess,
  { accountId, holdId, credits, slot, source, now, expiresAt }: Reservation,
  { shard, budgets }: { readonly shard: number; readonly budgets: readonly CountedBudget[] },
): TransactItem {
  const key = accountKeys.hold(accountId, holdId);
  return {
    Put: {
      TableName: accountsTable,
      Item: {
        ...key,
        ...dueAt("hold", key, expiresAt),
        account_id: accountId,
        hold_id: holdId,
        state: "open",
        shard,
        credits,
        slot,
        created_at: now.toISOString(),
        ...sourceRow(source),
        ...budgetsRow(budgets),
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/**
 * Resolves a hold that has a row, and returns the charge in credits. If the hold is already
 * resolved, changes nothing and returns the charge of the first resolution.
 * @param resolution.state The state that the row of the hold gets.
 * @throws Error if the hold does not exist or the charge exceeds the credits of the hold; 503
 * UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export function settleRow(
  process: LedgerProcess,
  { settlement, state }: { settlement: Settlement; state: "settled" | "expired" },
): Promise<{ readonly credits: number }> {
  const { accountId, holdId, credits: charged, succeeded, now } = settlement;
  const items = chargedItemCount(settlement);
  let refusals = 0;
  return untilDone(process, async (note) => {
    const hold = await readHold(process, accountId, holdId);
    assert(hold !== undefined, "the hold to resolve must exist");
    if (!hold.isOpen) return { credits: hold.charged };
    const { shard, credits, source, budgets } = hold;
    assert(charged <= credits, "a charge must not exceed the reserved credits");
    const oldSlot = hold.slot ? await shardOfOldSlot(process, accountId) : undefined;
    const at = nextStamp(process, { accountId, shards: [shard] }, { now, refusals });
    const refunded = credits - charged;
    const resolved = { type: "settle", at, holdId, charged, refunded } as const;
    const record: SettleRecord = { ...resolved, items, succeeded, source };
    const location = { table: process.accountsTable, accountId, shard };
    const moves = {
      balance: refunded,
      held: -credits,
      spent: charged,
      ...(oldSlot === shard && { in_flight: -1, old_in_flight: -1 }),
    };
    const transacted = await transactShards(process, accountId, [
      { Update: holdUpdate(process, settlement, state) },
      { Update: creditUpdate(location, { moves, record }) },
      ...(oldSlot === undefined || oldSlot === shard
        ? []
        : [{ Update: freeOldSlot({ ...location, shard: oldSlot }) }]),
      ...(refunded === 0 ? [] : budgets.map((one) => giveToBudget(process, one, refunded))),
    ]).catch(async (error: unknown) => {
      const foundHold = await readWithRetry(process, () => readHold(process, accountId, holdId));
      if (foundHold === undefined || foundHold.isOpen) throw error;
      const refused = [true];
      return { outcome: "refused" as const, refused, shards: [], why: "resolved" };
    });
    if (transacted.outcome === "changed") {
      await copyJournalOf(process, accountId, shard);
      return { credits: charged };
    }
    note(transacted.why);
    if (transacted.refused[holdPosition] === true) return "fresh";
    if (!transacted.refused.includes(true)) return "again";
    // The account of a hold that an earlier release created may have no shards yet, so the shards
    // are created now.
    if (transacted.shards.length === 0) await openShards(process, accountId);
    refusals += 1;
    return "fresh";
  });
}

/**
 * Finds a shard that still counts an unsharded call as in flight, and returns its number. Returns
 * the number of the first shard, 0, if there is none.
 */
async function shardOfOldSlot(process: LedgerProcess, accountId: string): Promise<number> {
  const rows = await readAccountRows(process, accountId);
  const shard = rows?.shards.find(({ oldInFlight }) => oldInFlight > 0);
  return shard?.number ?? 0;
}

/** Builds the write that resolves the row of a hold. It fails if the hold is not open. */
const holdUpdate = (
  { accountsTable }: LedgerProcess,
  { accountId, holdId, credits, now }: Settlement,
  state: "settled" | "expired",
): NonNullable<TransactItem["Update"]> => ({
  TableName: accountsTable,
  Key: accountKeys.hold(accountId, holdId),
  UpdateExpression:
    "SET #state = :state, charged = :charged, resolved_at = :now, #ttl = :ttl REMOVE due_kind, due_at",
  ConditionExpression: "#state = :open",
  ExpressionAttributeNames: { "#state": "state", "#ttl": "ttl" },
  ExpressionAttributeValues: {
    ":state": state,
    ":open": "open",
    ":charged": credits,
    ":now": now.toISOString(),
    ":ttl": epochSeconds(now) + resolvedHoldDays * 86_400,
  },
});
