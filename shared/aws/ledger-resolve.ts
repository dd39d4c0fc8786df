import { assert } from "../base/assert.ts";
import type { HoldRef, Settled, Settlement } from "../credits/ledger.ts";
import type { Row } from "./dynamo.ts";
import { sourceOf } from "./ledger-entry.ts";
import { commit, type LedgerProcess, read, readBooks, untilDone } from "./ledger-process.ts";
import { refusals, refused } from "./ledger-refusals.ts";
import {
  type Books,
  cancelTransaction,
  type ChargedHold,
  type Hold,
  holdPosition,
  settleTransaction,
} from "./ledger-transactions.ts";
import { accountKeys } from "./table.ts";

/** Resolves a hold; one that was resolved before gives what was decided then. */
export function resolve(
  process: LedgerProcess,
  { settlement, state }: { settlement: Settlement; state: "settled" | "expired" },
): Promise<Settled> {
  const { accountId, holdId, credits } = settlement;
  const stored = async (): Promise<Hold | Settled> =>
    holdOf(await read(process, accountKeys.hold(accountId, holdId)));
  const againOrFail = refusals(accountId, () => process.booksOf.delete(accountId));
  return untilDone(process, accountId, async (note) => {
    const mine = process.openHolds.get(holdId);
    const hold = mine ?? (await stored());
    if ("balance" in hold) return hold;
    assert(credits <= hold.credits, "a charge is at most what was reserved");
    const remembered = process.booksOf.get(accountId);
    const books = remembered ?? (await readBooks(process, accountId));
    if (!holds(books, hold)) {
      // Either the cached account balance state is older than the hold, or another worker has resolved the hold.
      if (remembered === undefined) process.openHolds.delete(holdId);
      process.booksOf.delete(accountId);
      note(`${accountId} does not hold ${holdId}`);
      return "again";
    }
    const transaction = settleTransaction(process, { settlement, hold, books, state });
    const result = await commit(process, { accountId, ...transaction }, async () => {
      const now = await stored();
      return "balance" in now ? now : undefined;
    });
    if (result === "committed") {
      process.openHolds.delete(holdId);
      return { credits, balance: transaction.after.balance };
    }
    if ("balance" in result) return result;
    if (refused(result, holdPosition)) {
      process.openHolds.delete(holdId);
      return "again";
    }
    return againOrFail(result, books, note);
  });
}

export async function release(
  process: LedgerProcess,
  { accountId, holdId, now }: HoldRef,
): Promise<void> {
  const row = await read(process, accountKeys.hold(accountId, holdId));
  if (row?.["state"] !== "open") return;
  const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
  await resolve(process, { settlement, state: "settled" });
}

const holds = ({ held, inFlight }: Books, hold: Hold): boolean =>
  held >= hold.credits && inFlight >= (hold.slot ? 1 : 0);

/**
 * Ends a call's hold at no charge. A settlement that was sent before may take effect at any moment:
 * either it finds the hold resolved, or its charge is found here and taken back.
 */
export async function cancel(
  process: LedgerProcess,
  { accountId, holdId, now }: HoldRef,
): Promise<void> {
  const againOrFail = refusals(accountId, () => process.booksOf.delete(accountId));
  await untilDone<"done">(process, accountId, async (note) => {
    const row = await read(process, accountKeys.hold(accountId, holdId));
    if (row === undefined) return "done";
    if (row["state"] === "open") {
      const settlement = { accountId, holdId, credits: 0, succeeded: false, now };
      const { credits } = await resolve(process, { settlement, state: "settled" });
      return credits === 0 ? "done" : "again";
    }
    const hold = chargedHoldOf(row, { accountId, holdId });
    if (hold.charged === 0) return "done";
    const books = process.booksOf.get(accountId) ?? (await readBooks(process, accountId));
    // Another worker settled or cancelled it between the two reads.
    if (books.spent < hold.charged) {
      process.booksOf.delete(accountId);
      return "again";
    }
    const transaction = cancelTransaction(process, { hold, books, now });
    const result = await commit(process, { accountId, ...transaction }, async () => {
      const found = await read(process, accountKeys.hold(accountId, holdId));
      return found?.["state"] === "cancelled" ? { outcome: "cancelled" } : undefined;
    });
    if (result === "committed" || "outcome" in result) return "done";
    // Another worker has taken it back since it was read.
    if (refused(result, holdPosition)) return "again";
    return againOrFail(result, books, note);
  });
}

/** The open hold in a row, or what it was resolved to. */
function holdOf(row: Row | undefined): Hold | Settled {
  assert(row !== undefined, "only a hold that exists is resolved");
  if (row["state"] !== "open") {
    return { credits: Number(row["charged"]), balance: Number(row["balance_after"]) };
  }
  const source = sourceOf(row);
  assert(source !== null, "a hold is made for a call or a step");
  return { credits: Number(row["credits"]), slot: row["slot"] === true, source };
}

/** A resolved hold with what it was charged. */
function chargedHoldOf(row: Row, hold: Pick<ChargedHold, "accountId" | "holdId">): ChargedHold {
  const source = sourceOf(row);
  assert(source !== null, "a hold is made for a call or a step");
  return {
    ...hold,
    charged: Number(row["charged"]),
    chargedAt: String(row["resolved_at"]),
    source,
  };
}
