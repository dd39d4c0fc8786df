import type { HoldRef } from "../../credits/ledger.ts";
import type { TakeBackRecord } from "../../credits/journal.ts";
import { timeOfStamp } from "../../credits/journal.ts";
import type { CreditSource } from "../../credits/ledger.ts";
import type { TransactItem } from "../dynamo.ts";
import { sourceRow } from "../ledger-entry.ts";
import { accountKeys } from "../table.ts";
import { readWithRetry, transactShards, untilDone } from "./change-shard.ts";
import { findCallHolds } from "./find-call.ts";
import { readHold } from "./hold-row.ts";
import { openShards } from "./open-shards.ts";
import { type LedgerProcess, nextStamp } from "./process.ts";
import { settleRow } from "./row-holds.ts";
import { settleCall } from "./settle-call.ts";
import { creditUpdate } from "./shard-update.ts";

interface Charge {
  readonly credits: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly source: CreditSource;
}

/**
 * Ends a call's hold at no charge. An earlier settlement may still take effect at any moment. Either it
 * finds the hold resolved, or this function takes its charge back.
 */
export async function cancelHold(process: LedgerProcess, hold: HoldRef): Promise<void> {
  const { accountId, holdId, now } = hold;
  let refusals = 0;
  await untilDone(process, async (note) => {
    const found = await release(process, hold);
    if (found === "released" || found === "fresh") return found === "fresh" ? found : done;
    const { shard } = found;
    const at = nextStamp(process, { accountId, shards: [shard] }, { now, refusals });
    const items = takeBackItems(process, hold, { ...found, at });
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
    // A hold of an earlier release may be resolved before the account has shards.
    if (transacted.shards.length === 0) await openShards(process, accountId);
    refusals += 1;
    return "fresh";
  });
}

const done = { outcome: "done" } as const;

/** A charge that has to be taken back. */
interface Charged {
  readonly shard: number;
  readonly charge: Charge;
  /** True for a hold that has no row. */
  readonly isNew: boolean;
}

/** Gives all open holds back, or finds what a resolved one was charged. */
async function release(
  process: LedgerProcess,
  { accountId, holdId, now }: HoldRef,
): Promise<Charged | "released" | "fresh"> {
  const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
  const row = await readHold(process, accountId, holdId);
  if (row?.isOpen === true) {
    const { credits } = await settleRow(process, { settlement, state: "settled" });
    return credits === 0 ? "released" : "fresh";
  }
  if (row !== undefined) {
    const charge = chargeOf(row);
    return charge === null ? "released" : { shard: row.shard, charge, isNew: false };
  }
  const { open, resolved } = await findCallHolds(process, accountId, holdId);
  for (const own of open) {
    const { credits } = await settleCall(process, settlement, own);
    // A settlement took effect first. The next attempt finds its charge.
    if (credits > 0) return "fresh";
  }
  const settled = resolved.find(({ charged }) => charged > 0);
  if (settled === undefined) return "released";
  const { shard, at, charged, source } = settled;
  const charge = { credits: charged, at: timeOfStamp(at).toISOString(), source };
  return { shard, charge, isNew: true };
}

function takeBackItems(
  process: LedgerProcess,
  hold: HoldRef,
  { shard, charge, at, isNew }: Charged & { readonly at: number },
): readonly TransactItem[] {
  const { accountId, holdId } = hold;
  const { credits, at: chargedAt, source } = charge;
  const record: TakeBackRecord = { type: "take_back", at, holdId, credits, chargedAt, source };
  const moves = { balance: credits, spent: -credits };
  const place = { table: process.accountsTable, accountId, shard };
  return [
    cancelledMark(process, hold, { shard, charge, at, isNew }),
    { Update: creditUpdate(place, { moves, record }) },
  ];
}

const chargeOf = (row: {
  readonly charged: number;
  readonly resolvedAt: string;
  readonly source: CreditSource;
}): Charge | null =>
  row.charged === 0 ? null : { credits: row.charged, at: row.resolvedAt, source: row.source };

/**
 * The row, by hold ID, that prevents a charge from being taken back twice. It never expires, so that the
 * history can find a late refund by its stamp.
 */
function cancelledMark(
  { accountsTable }: LedgerProcess,
  { accountId, holdId, now }: HoldRef,
  { shard, charge, at, isNew }: { shard: number; charge: Charge; at: number; isNew: boolean },
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
          ":charged": charge.credits,
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
        credits: charge.credits,
        slot: false,
        charged: 0,
        resolved_at: charge.at,
        cancelled_at: now.toISOString(),
        cancelled_stamp: at,
        ...sourceRow(charge.source),
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
