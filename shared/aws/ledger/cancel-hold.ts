import { type TakeBackRecord, timeOfStamp } from "../../credits/journal.ts";
import type { CreditSource, HoldRef } from "../../credits/ledger.ts";
import type { TransactItem } from "../table/dynamo.ts";
import { sourceRow } from "./entry-row.ts";
import { accountKeys } from "../table/table.ts";
import { readWithRetry, transactShards, untilDone } from "./change-shard.ts";
import { accountOwner, giveToBudget } from "./daily-budget.ts";
import { findCallHolds } from "./find-call.ts";
import { readHold } from "./hold-row.ts";
import { openShards } from "./open-shards.ts";
import { type LedgerProcess, nextStamp } from "./process.ts";
import { settleRow } from "./row-holds.ts";
import { atNoCharge, settleCall } from "./settle-call.ts";
import { creditUpdate } from "./shard-update.ts";

/**
 * Cancels the hold of a call, so that the call costs nothing. An earlier request to settle the same
 * hold may still be in progress. If the settlement takes effect first, this function refunds the
 * charge. If this cancellation takes effect first, the settlement changes nothing.
 * @throws 503 UNAVAILABLE if the rows stay contended or the retry budget is exhausted
 */
export async function cancelCallHold(process: LedgerProcess, hold: HoldRef): Promise<void> {
  const { accountId, holdId, now } = hold;
  let refusals = 0;
  await untilDone(process, async (note) => {
    const releaseResult = await release(process, hold);
    if (releaseResult === "fresh") return "fresh";
    if (releaseResult === "released") return done;
    const at = nextStamp(process, { accountId, shards: [releaseResult.shard] }, { now, refusals });
    const items = takeBackItems(process, hold, { ...releaseResult, at });
    const transacted = await transactShards(process, accountId, items).catch(
      async (error: unknown) => {
        const row = await readWithRetry(process, () => readHold(process, accountId, holdId));
        if (row === undefined || row.isOpen || row.charged > 0) throw error;
        return { outcome: "changed" as const };
      },
    );
    if (transacted.outcome === "changed") return done;
    note(transacted.why);
    if (!transacted.refused.includes(true)) return "again";
    // The account of a hold that an earlier release created may have no shards yet, so the shards
    // are created now.
    if (transacted.shards.length === 0) await openShards(process, accountId);
    refusals += 1;
    return "fresh";
  });
}

const done = { outcome: "done" } as const;

/** A charge to refund. */
interface Charge {
  readonly shard: number;
  readonly credits: number;
  /** Time of the charge, ISO 8601 UTC. */
  readonly chargedAt: string;
  readonly source: CreditSource;
  /**
   * UTC day of the account's daily budget towards which the charge counts; undefined if it counts
   * towards no budget.
   */
  readonly budgetDay?: string | undefined;
  /** True if the hold has no row yet, so that the cancellation creates one. */
  readonly isNew: boolean;
}

interface TakeBack extends Charge {
  /** Stamp of the refund record. */
  readonly at: number;
}

/**
 * Releases all open holds of a call. Returns `released` if no hold of the call was charged. Returns
 * the charge if a hold was already settled with a charge. Returns `fresh` if a settlement took
 * effect during the release; the caller must then try again to get its charge.
 */
async function release(
  process: LedgerProcess,
  hold: HoldRef,
): Promise<Charge | "released" | "fresh"> {
  const { accountId, holdId } = hold;
  const settlement = atNoCharge(hold);
  const row = await readHold(process, accountId, holdId);
  if (row?.isOpen === true) {
    const { credits } = await settleRow(process, { settlement, state: "settled" });
    return credits === 0 ? "released" : "fresh";
  }
  if (row !== undefined) {
    const { shard, charged: credits, resolvedAt: chargedAt, source } = row;
    return credits === 0 ? "released" : { shard, credits, chargedAt, source, isNew: false };
  }
  const { open, resolved } = await findCallHolds(process, accountId, holdId);
  for (const own of open) {
    const { credits } = await settleCall(process, settlement, own);
    // Another request has settled the hold with a charge, which the next attempt refunds.
    if (credits > 0) return "fresh";
  }
  const settled = resolved.find(({ charged }) => charged > 0);
  if (settled === undefined) return "released";
  const { shard, at, charged: credits, source, budgetDay } = settled;
  const chargedAt = timeOfStamp(at).toISOString();
  return { shard, credits, chargedAt, source, budgetDay, isNew: true };
}

/** Builds the writes that refund a charge, to the shard and to the daily budget. */
function takeBackItems(
  process: LedgerProcess,
  hold: HoldRef,
  takeBack: TakeBack,
): readonly TransactItem[] {
  const { accountId, holdId } = hold;
  const { shard, credits, at, chargedAt, source, budgetDay: day } = takeBack;
  const record: TakeBackRecord = { type: "take_back", at, holdId, credits, chargedAt, source };
  const moves = { balance: credits, spent: -credits };
  const location = { table: process.accountsTable, accountId, shard };
  return [
    cancelledMark(process, hold, takeBack),
    { Update: creditUpdate(location, { moves, record }) },
    ...(day === undefined
      ? []
      : [giveToBudget(process, { accountId, owner: accountOwner, day }, credits)]),
  ];
}

/**
 * Builds the write of the hold's row. The row prevents a second refund of the charge. It never
 * expires, because the credit history finds a late refund by the stamp in this row.
 */
function cancelledMark(
  { accountsTable }: LedgerProcess,
  { accountId, holdId, now }: HoldRef,
  { shard, credits, at, chargedAt, source, isNew }: TakeBack,
): TransactItem {
  const key = accountKeys.hold(accountId, holdId);
  if (!isNew) {
    return {
      Update: {
        TableName: accountsTable,
        Key: key,
        UpdateExpression:
          "SET #state = :cancelled, charged = :nothing, cancelled_at = :now, cancelled_stamp = :at REMOVE #ttl",
        ConditionExpression: "#state = :settled AND charged = :charged",
        ExpressionAttributeNames: { "#state": "state", "#ttl": "ttl" },
        ExpressionAttributeValues: {
          ":at": at,
          ":cancelled": "cancelled",
          ":settled": "settled",
          ":nothing": 0,
          ":now": now.toISOString(),
          ":charged": credits,
        },
      },
    };
  }
  return {
    Put: {
      TableName: accountsTable,
      Item: {
        ...key,
        account_id: accountId,
        hold_id: holdId,
        state: "cancelled",
        shard,
        credits,
        slot: false,
        charged: 0,
        resolved_at: chargedAt,
        cancelled_at: now.toISOString(),
        cancelled_stamp: at,
        ...sourceRow(source),
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
