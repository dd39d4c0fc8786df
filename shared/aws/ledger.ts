import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { assert } from "../base/assert.ts";
import type { Ledger, Reservation, ReserveOutcome } from "../credits/ledger.ts";
import { dueKeys, dueKeysOf } from "./due-keys.ts";
import {
  commit,
  type LedgerOptions,
  type LedgerProcess,
  read,
  readBooks,
  untilDone,
} from "./ledger-process.ts";
import { refusals, refused } from "./ledger-refusals.ts";
import { cancel, release, resolve } from "./ledger-resolve.ts";
import { type Books, holdPosition, reserveTransaction } from "./ledger-transactions.ts";
import { accountIdOf, accountKeys } from "./table.ts";

/**
 * The ledger in DynamoDB. Every transaction is conditional on the account's sequence number, so the
 * entries of an account form one gapless chain. The books of each account are remembered between
 * calls: the first try needs no read, and a refused try brings the current row with it.
 */
export function dynamoLedger(client: DynamoDBDocumentClient, options: LedgerOptions): Ledger {
  const process: LedgerProcess = { ...options, client, booksOf: new Map(), openHolds: new Map() };
  return {
    reserve: (reservation) => reserve(process, reservation),
    settle: (settlement) => resolve(process, { settlement, state: "settled" }),
    release: (hold) => release(process, hold),
    cancel: (hold) => cancel(process, hold),
    releaseExpired: (accountId, now) =>
      releaseExpired(process, accountId, { now, everywhere: true }),
    async accountsWithExpiredHolds(now, limit) {
      const keys = await dueKeys(client, options.accountsTable, { kind: "hold", by: now, limit });
      return [...new Set(keys.map((key) => accountIdOf(key)))];
    },
  };
}

function reserve(process: LedgerProcess, reservation: Reservation): Promise<ReserveOutcome> {
  const { accountId, holdId, credits, slot, source, now } = reservation;
  let mayRelease = true;
  const againOrFail = refusals(accountId, () => process.booksOf.delete(accountId));
  return untilDone(process, accountId, async (note) => {
    const remembered = process.booksOf.get(accountId);
    const books = remembered ?? (await readBooks(process, accountId));
    const obstacle = obstacleTo(reservation, books);
    if (obstacle !== undefined && remembered !== undefined) {
      // What is remembered may be out of date; only the row refuses.
      process.booksOf.delete(accountId);
      return "again";
    }
    if (obstacle !== undefined) {
      const released = mayRelease
        ? await releaseExpired(process, accountId, { now, everywhere: false })
        : 0;
      mayRelease = false;
      if (released > 0) return "again";
      // An earlier try of the same reservation may have committed without our hearing of it.
      return (await heldBefore(process, reservation)) ?? obstacle;
    }

    const transaction = reserveTransaction(process, reservation, books);
    const result = await commit(process, { accountId, ...transaction }, () =>
      heldBefore(process, reservation),
    );
    if (result === "committed") {
      if (slot) process.openHolds.set(holdId, { credits, slot, source });
      return { outcome: "reserved", balance: transaction.after.balance };
    }
    if ("outcome" in result) return result;
    if (refused(result, holdPosition)) {
      const held = await heldBefore(process, reservation);
      assert(held !== undefined, "a hold that blocks a reservation exists");
      return held;
    }
    return againOrFail(result, books, note);
  });
}

/** Why the books do not allow a reservation, if they do not. */
function obstacleTo(
  { credits, slot }: Reservation,
  { balance, inFlight, concurrency }: Books,
): ReserveOutcome | undefined {
  if (balance < credits) return { outcome: "insufficient", balance };
  if (slot && inFlight >= concurrency) return { outcome: "no_slot", limit: concurrency, balance };
  return undefined;
}

async function heldBefore(
  process: LedgerProcess,
  { accountId, holdId }: Reservation,
): Promise<ReserveOutcome | undefined> {
  const row = await read(process, accountKeys.hold(accountId, holdId));
  return row === undefined
    ? undefined
    : { outcome: "reserved", balance: Number(row["balance_after"]) };
}

/** A call that finds no credits looks where the account's holds are put: it must be cheap to refuse. */
async function releaseExpired(
  process: LedgerProcess,
  accountId: string,
  { now, everywhere }: { readonly now: Date; readonly everywhere: boolean },
): Promise<number> {
  // Resolved holds stay for weeks among the account's rows: only the index knows the open ones.
  const keys = await dueKeysOf(process.client, process.accountsTable, {
    kind: "hold",
    by: now,
    pk: accountKeys.account(accountId).pk,
    everywhere,
  });
  const holdIds = keys.map(({ sk }) => sk.slice(accountKeys.hold(accountId, "").sk.length));
  for (const holdId of holdIds) {
    const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
    await resolve(process, { settlement, state: "expired" });
  }
  return holdIds.length;
}
