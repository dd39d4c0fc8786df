import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import type { HoldRef, Ledger, Settled, Settlement } from "../../credits/ledger.ts";
import { dueKeys, dueKeysOf } from "../due-keys.ts";
import { accountIdOf, accountKeys } from "../table.ts";
import { cancelHold, findCall } from "./cancel-hold.ts";
import { moveDueMarks } from "./due-marks.ts";
import { measured } from "./measured.ts";
import { knownOf, type LedgerOptions, ledgerProcess, type LedgerProcess } from "./process.ts";
import { readAccountRows, readBalances, totalBalance, wholeBalance } from "./read-shards.ts";
import { reserveCall } from "./reserve-call.ts";
import { readHold, reserveStep, settleRow } from "./row-holds.ts";
import { type CallSettled, releaseExpiredCalls, settleCall } from "./settle-call.ts";

/**
 * The ledger in DynamoDB. The credits of an account are spread over shards, rows of their own, which
 * calls change by plain conditional updates: one to reserve, one to settle. Rare changes are
 * transactions: steps of runs, which keep their hold in a row, and whatever touches two shards.
 */
export function dynamoLedger(client: DynamoDBDocumentClient, options: LedgerOptions): Ledger {
  const process = ledgerProcess(client, options);
  return {
    reserve: (reservation) =>
      measured(process, "reserve", (it) =>
        reservation.slot ? reserveCall(it, reservation) : reserveStep(it, reservation),
      ),
    settle: (settlement) => measured(process, "settle", (it) => settle(it, settlement)),
    release: (hold) => release(process, hold),
    cancel: (hold) => cancelHold(process, hold),
    releaseExpired: (accountId, now) => releaseExpired(process, accountId, now),
    async accountsWithExpiredHolds(now, limit) {
      const keys = await dueKeys(client, options.accountsTable, { kind: "hold", by: now, limit });
      return [...new Set(keys.map((key) => accountIdOf(key)))];
    },
  };
}

async function settle(process: LedgerProcess, settlement: Settlement): Promise<Settled> {
  const { accountId } = settlement;
  const { shards } = knownOf(process, accountId);
  // The balance of an account is that of all of its shards: the others are read meanwhile.
  const reading =
    shards > 1
      ? readBalances(process, accountId, shards).catch(() => undefined)
      : Promise.resolve(undefined);
  const { credits, shard } = await settleHold(process, settlement);
  if (shard?.shards === 1) return { credits, balance: shard.balance };
  const read = await reading;
  const ofShard = new Map(read?.ofShard);
  if (shard !== undefined) ofShard.set(shard.number, shard);
  const balance = read && wholeBalance({ ...read, ofShard });
  return { credits, balance: balance ?? (await totalBalance(process, accountId, shards)) };
}

async function settleHold(process: LedgerProcess, settlement: Settlement): Promise<CallSettled> {
  const { accountId, holdId } = settlement;
  const own = process.holds.get(holdId);
  if (own !== undefined) return settleCall(process, settlement, own);
  if ((await readHold(process, accountId, holdId)) !== undefined) {
    const { credits } = await settleRow(process, { settlement, state: "settled" });
    return { credits, shard: undefined };
  }
  const found = await findCall(process, accountId, holdId);
  assert(found !== undefined, "only a hold that exists is resolved");
  return found.state === "open"
    ? settleCall(process, settlement, found.hold)
    : { credits: found.charged?.credits ?? 0, shard: undefined };
}

async function release(process: LedgerProcess, hold: HoldRef): Promise<void> {
  const { accountId, holdId, now } = hold;
  const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
  const row = await readHold(process, accountId, holdId);
  if (row !== undefined) {
    if (row.isOpen) await settleRow(process, { settlement, state: "settled" });
    return;
  }
  const found = await findCall(process, accountId, holdId);
  if (found?.state === "open") await settleCall(process, settlement, found.hold);
}

async function releaseExpired(
  process: LedgerProcess,
  accountId: string,
  now: Date,
): Promise<number> {
  const rows = await readAccountRows(process, accountId);
  assert(rows !== undefined, "credits belong to an account that exists");
  const ofCalls = await releaseExpiredCalls(process, { accountId, shards: rows.shards, now });
  await moveDueMarks(process, accountId, now);
  // Resolved holds stay for weeks among the account's rows: only the index knows the open ones.
  const keys = await dueKeysOf(process.client, process.accountsTable, {
    kind: "hold",
    by: now,
    pk: accountKeys.account(accountId).pk,
    everywhere: true,
  });
  const holdIds = keys.map(({ sk }) => sk.slice(accountKeys.hold(accountId, "").sk.length));
  for (const holdId of holdIds) {
    const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
    await settleRow(process, { settlement, state: "expired" });
  }
  return ofCalls + holdIds.length;
}
