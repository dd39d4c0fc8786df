import type { HoldRef } from "../../credits/ledger.ts";
import type { TakeBackRecord } from "../../credits/journal.ts";
import { stampOf, timeOfStamp } from "../../credits/journal.ts";
import type { CreditSource } from "../../credits/ledger.ts";
import { timeOf } from "../../base/ids.ts";
import type { TransactItem } from "../dynamo.ts";
import { sourceRow } from "../ledger-entry.ts";
import { accountKeys } from "../table.ts";
import { readWithRetry, transactShards, untilDone } from "./change-shard.ts";
import { findResolution } from "./find-hold.ts";
import { openShards } from "./open-shards.ts";
import { type LedgerProcess, nextStamp, noteShards } from "./process.ts";
import { readAccountRows } from "./read-shards.ts";
import { readHold, settleRow } from "./row-holds.ts";
import { settleCall } from "./settle-call.ts";
import type { OpenHold } from "./shard-row.ts";
import { creditUpdate } from "./shard-update.ts";

/** Where the hold of a call stands: open in a shard, or what it was charged there. */
export type CallHold =
  | { readonly state: "open"; readonly hold: OpenHold & { readonly shard: number } }
  | { readonly state: "resolved"; readonly shard: number; readonly charged: Charge | null };

interface Charge {
  readonly credits: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly source: CreditSource;
}

/** An entry may be stamped before the ID that it names was made: clocks differ by less. */
const skewMs = 60 * 60 * 1_000;

/** Finds the hold of a call that another process made; undefined where there is none. */
export async function findCall(
  process: LedgerProcess,
  accountId: string,
  holdId: string,
): Promise<CallHold | undefined> {
  const rows = await readAccountRows(process, accountId);
  if (rows === undefined) return undefined;
  noteShards(process, accountId, rows.shards);
  for (const { number: shard, holds } of rows.shards) {
    const hold = holds.get(holdId);
    if (hold !== undefined) return { state: "open", hold: { ...hold, shard } };
  }
  const madeAt = timeOf("request", holdId);
  const since = madeAt === undefined ? 0 : stampOf(madeAt) - skewMs * 1_000;
  for (const { number: shard } of rows.shards) {
    const found = await findResolution(process, { accountId, holdId, shard, since });
    if (found === undefined) continue;
    const { charged: credits, record } = found;
    const isCharged = credits > 0 && record !== undefined;
    const at = timeOfStamp(record?.at ?? 0).toISOString();
    const charged = isCharged ? { credits, at, source: record.source } : null;
    return { state: "resolved", shard, charged };
  }
  return undefined;
}

/**
 * Ends a call's hold at no charge. A settlement that was sent before may take effect at any moment:
 * either it finds the hold resolved, or its charge is found here and taken back.
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
    // A hold of an earlier release may be the first that is met of an account.
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

/** Gives an open hold back, or finds what a resolved one was charged. */
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
  const call = await findCall(process, accountId, holdId);
  if (call?.state === "open") {
    const { credits } = await settleCall(process, settlement, call.hold);
    return credits === 0 ? "released" : "fresh";
  }
  if (call === undefined || call.charged === null) return "released";
  return { shard: call.shard, charge: call.charged, isNew: true };
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
 * What keeps a charge from being taken back twice, by the ID of its hold. It is kept for good: the history
 * finds the refund by its stamp, however late that was.
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
