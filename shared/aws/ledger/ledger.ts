import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../../base/assert.ts";
import { isServiceError, chargeUnconfirmed } from "../../base/errors.ts";
import type { HoldRef, Ledger, Settled, Settlement } from "../../credits/ledger.ts";
import { dueKeys, dueKeysOf } from "../table/due-keys.ts";
import { accountIdOf, accountKeys } from "../table/table.ts";
import { cancelCallHold } from "./cancel-hold.ts";
import { moveDueMarks } from "./due-marks.ts";
import { findCallHolds } from "./find-call.ts";
import { readHold } from "./hold-row.ts";
import {
  cachedAccountOf,
  type LedgerOptions,
  ledgerProcess,
  type LedgerProcess,
  type OwnHold,
  type LedgerReport,
} from "./process.ts";
import { readAccountRows, readBalances, totalBalance, wholeBalance } from "./read-shards.ts";
import { reserveCall } from "./reserve-call.ts";
import { reserveStepHold, settleRow } from "./row-holds.ts";
import { atNoCharge, releaseExpiredCalls, settleCall } from "./settle-call.ts";

/**
 * Creates the ledger in DynamoDB. The credits of an account are split over shards, which are
 * separate rows. A call changes a shard with conditional updates: one to reserve and one to settle.
 * Steps of runs, whose holds have rows, and changes of two shards need transactions.
 */
export function dynamoLedger(client: DynamoDBDocumentClient, options: LedgerOptions): Ledger {
  const process = ledgerProcess(client, options);
  return {
    reserve: (reservation) =>
      measure(process, "reserve", (it) =>
        reservation.slot ? reserveCall(it, reservation) : reserveStepHold(it, reservation),
      ),
    settle: (settlement) => measure(process, "settle", (it) => settle(it, settlement)),
    release: (hold) => release(process, hold),
    cancel: (hold) => cancelCallHold(process, hold),
    releaseExpired: (accountId, now) => releaseExpired(process, accountId, now),
    async accountsWithExpiredHolds(now, limit) {
      const keys = await dueKeys(client, options.accountsTable, { kind: "hold", by: now, limit });
      return [...new Set(keys.map((key) => accountIdOf(key)))];
    },
  };
}

/** Settles a hold. A hold that this process has cached takes fewer requests. */
async function settle(process: LedgerProcess, settlement: Settlement): Promise<Settled> {
  const { accountId, holdId } = settlement;
  const own = process.holds.get(holdId);
  if (own !== undefined) return settleOwn(process, settlement, own);
  const credits = await settleOther(process, settlement);
  const { shards } = cachedAccountOf(process, accountId);
  return { credits, balance: await balanceAfter(process, accountId, shards) };
}

/**
 * Settles a call whose hold this process reserved, with one update. Returns the charge of the call
 * and the balance of the account.
 */
async function settleOwn(
  process: LedgerProcess,
  settlement: Settlement,
  hold: OwnHold,
): Promise<Settled> {
  const { accountId } = settlement;
  const { shards } = cachedAccountOf(process, accountId);
  // The balance is the sum over all shards, so the other shards are read in parallel with the
  // settlement.
  const reading =
    shards > 1 ? readBalances(process, accountId, shards).catch(() => undefined) : undefined;
  const { credits, shard } = await settleCall(process, settlement, hold);
  if (shard?.shards === 1) return { credits, balance: shard.balance };
  const read = await reading;
  // If the settlement returned no shard, another process has resolved the hold, possibly after this
  // process read the balances. The balances must then be read again.
  const balance =
    read === undefined || shard === undefined
      ? undefined
      : wholeBalance({ ...read, ofShard: new Map(read.ofShard).set(shard.number, shard) });
  return { credits, balance: balance ?? (await balanceAfter(process, accountId, shards)) };
}

/**
 * Reads the balance of an account after a settlement that took effect.
 * @throws 503 UNAVAILABLE if the balance cannot be read. The error is marked as `unconfirmed`,
 * because the credits have been charged.
 */
const balanceAfter = (process: LedgerProcess, accountId: string, shards: number): Promise<number> =>
  totalBalance(process, accountId, shards).catch((error: unknown) => {
    // The caller treats a `ServiceError` as a refusal, and any other error as a lost response.
    throw isServiceError(error)
      ? chargeUnconfirmed(
          `The charge was settled, but the balance could not be read: ${String(error)}`,
        )
      : error;
  });

/**
 * Settles a hold that another process reserved. If the hold is already settled, even by this
 * process, changes nothing. Returns the charge of the hold.
 */
async function settleOther(process: LedgerProcess, settlement: Settlement): Promise<number> {
  const { accountId, holdId } = settlement;
  if ((await readHold(process, accountId, holdId)) !== undefined) {
    return (await settleRow(process, { settlement, state: "settled" })).credits;
  }
  const { open, resolved } = await findCallHolds(process, accountId, holdId);
  const settled = resolved.find(({ charged }) => charged > 0);
  if (settled !== undefined) return settled.charged;
  const [hold] = open;
  if (hold !== undefined) return (await settleCall(process, settlement, hold)).credits;
  assert(resolved.length > 0, "the hold to resolve must exist");
  return 0;
}

/** Releases the open hold with this ID, whichever process reserved it. */
async function release(process: LedgerProcess, hold: HoldRef): Promise<void> {
  const { accountId, holdId } = hold;
  const settlement = atNoCharge(hold);
  const row = await readHold(process, accountId, holdId);
  if (row !== undefined) {
    if (row.isOpen) await settleRow(process, { settlement, state: "settled" });
    return;
  }
  const { open } = await findCallHolds(process, accountId, holdId);
  for (const own of open) await settleCall(process, settlement, own);
}

/** Releases the expired holds of an account. Returns how many holds had expired. */
async function releaseExpired(
  process: LedgerProcess,
  accountId: string,
  now: Date,
): Promise<number> {
  const rows = await readAccountRows(process, accountId);
  assert(rows !== undefined, "the account of the credits must exist");
  const ofCalls = await releaseExpiredCalls(process, { accountId, shards: rows.shards, now });
  await moveDueMarks(process, accountId, now);
  // The holds are read from the due index, which has only open holds. The rows of resolved holds
  // stay in the table for weeks.
  const keys = await dueKeysOf(process.client, process.accountsTable, {
    kind: "hold",
    by: now,
    pk: accountKeys.account(accountId).pk,
    everywhere: true,
  });
  const holdIds = keys.map(({ sk }) => sk.slice(accountKeys.hold(accountId, "").sk.length));
  for (const holdId of holdIds) {
    const settlement = atNoCharge({ accountId, holdId, now });
    await settleRow(process, { settlement, state: "expired" });
  }
  return ofCalls + holdIds.length;
}

/** Executes one operation and reports its duration and retries, even if the operation fails. */
async function measure<T>(
  process: LedgerProcess,
  operation: LedgerReport["operation"],
  act: (process: LedgerProcess) => Promise<T>,
): Promise<T> {
  const { clock, report } = process;
  if (report === undefined) return act(process);
  const from = clock.now().getTime();
  let retries = 0;
  const onRetry = (): void => {
    retries += 1;
  };
  try {
    return await act({ ...process, onRetry });
  } finally {
    report({ operation, milliseconds: clock.now().getTime() - from, retries });
  }
}
